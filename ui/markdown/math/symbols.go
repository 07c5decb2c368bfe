package math

import (
	"strings"
	"unicode/utf8"
)

// The names of symbols, each with the text that stands for it. They are searched as text, so that nothing is set up
// when the program starts.
const (
	ordinaries = ` alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ
 lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ chi=χ
 psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω infty=∞ partial=∂
 nabla=∇ hbar=ℏ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ wp=℘ forall=∀ exists=∃ nexists=∄ emptyset=∅ varnothing=∅ neg=¬ lnot=¬ top=⊤
 bot=⊥ angle=∠ triangle=△ square=□ Box=□ blacksquare=■ checkmark=✓ dots=… ldots=… cdots=⋯ vdots=⋮ ddots=⋱ prime=′
 circ=° degree=° dagger=† ddagger=‡ imath=ı jmath=ȷ backslash=\ vert=| Vert=‖ S=§ P=¶ copyright=© pounds=£ therefore=∴
 because=∵ complement=∁ surd=√ flat=♭ sharp=♯ natural=♮ lbrack=[ rbrack=] %=% $=$ #=# &=& _=_ |=‖ `
	binaries = ` pm=± mp=∓ times=× div=÷ cdot=· ast=∗ star=⋆ bullet=• oplus=⊕ ominus=⊖ otimes=⊗ odot=⊙ cup=∪ cap=∩
 setminus=∖ wedge=∧ land=∧ vee=∨ lor=∨ sqcup=⊔ sqcap=⊓ uplus=⊎ bmod=mod +=+ -=− *=* `
	relations = ` leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ approx=≈ equiv=≡ cong=≅ sim=∼ simeq=≃ propto=∝ ll=≪ gg=≫ leqslant=≤
 geqslant=≥ in=∈ notin=∉ ni=∋ subset=⊂ supset=⊃ subseteq=⊆ supseteq=⊇ subsetneq=⊊ supsetneq=⊋ nsubseteq=⊈ to=→
 rightarrow=→ leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ implies=⟹ impliedby=⟸ iff=⟺
 mapsto=↦ longmapsto=⟼ longrightarrow=⟶ longleftarrow=⟵ Longrightarrow=⟹ Longleftarrow=⟸ Longleftrightarrow=⟺
 uparrow=↑ downarrow=↓ Uparrow=⇑ Downarrow=⇓ hookrightarrow=↪ hookleftarrow=↩ rightleftharpoons=⇌ nearrow=↗ searrow=↘
 mid=∣ nmid=∤ parallel=∥ perp=⊥ vdash=⊢ dashv=⊣ models=⊨ vDash=⊨ prec=≺ succ=≻ preceq=⪯ succeq=⪰ lesssim=≲ gtrsim=≳
 triangleq=≜ doteq=≐ coloneqq=≔ asymp=≍ colon=: `
	// Operators whose scripts are limits, above and below.
	operators = ` sum=∑ prod=∏ coprod=∐ int=∫ iint=∬ iiint=∭ oint=∮ bigcup=⋃ bigcap=⋂ bigoplus=⨁ bigotimes=⨂ bigwedge=⋀
 bigvee=⋁ lim=lim max=max min=min sup=sup inf=inf limsup=lim␣sup liminf=lim␣inf argmax=arg␣max argmin=arg␣min Pr=Pr
 det=det gcd=gcd `
	functions = ` sin=sin cos=cos tan=tan cot=cot sec=sec csc=csc sinh=sinh cosh=cosh tanh=tanh coth=coth arcsin=arcsin
 arccos=arccos arctan=arctan log=log ln=ln lg=lg exp=exp deg=deg dim=dim ker=ker hom=hom arg=arg `
	openings = ` {={ lbrace={ lfloor=⌊ lceil=⌈ langle=⟨ lvert=| lVert=‖ `
	closings = ` }=} rbrace=} rfloor=⌋ rceil=⌉ rangle=⟩ rvert=| rVert=‖ `
	// Marks that combine with the character before.
	accents = " hat=\u0302 widehat=\u0302 bar=\u0304 overline=\u0305 vec=\u20d7 tilde=\u0303 widetilde=\u0303" +
		" dot=\u0307 ddot=\u0308 check=\u030c breve=\u0306 acute=\u0301 grave=\u0300 "
	spaces = " ,=1 :=1 ;=1 >=1 quad=2 qquad=4 enspace=1 thinspace=1 !=0 displaystyle=0 textstyle=0 scriptstyle=0" +
		" nonumber=0 notag=0 big=0 Big=0 bigg=0 Bigg=0 bigl=0 bigr=0 Bigl=0 Bigr=0 biggl=0 biggr=0 Biggl=0 Biggr=0 "

	// The brackets and the alignment of the columns.
	environments = ` matrix=,,c smallmatrix=,,c pmatrix=(,),c bmatrix=[,],c Bmatrix={,},c vmatrix=|,|,c Vmatrix=‖,‖,c
 cases={,,ll aligned=,,rl align=,,rl split=,,rl gathered=,,c gather=,,c equation=,,c array=,, `
	// Of high brackets: the first, other, a middle and the last row.
	brackets = " (=⎛⎜⎜⎝ )=⎞⎟⎟⎠ [=⎡⎢⎢⎣ ]=⎤⎥⎥⎦ {=⎧⎪⎨⎩ }=⎫⎪⎬⎭ |=││││ ‖=║║║║ ⌈=⎡⎢⎢⎢ ⌊=⎢⎢⎢⎣ ⌉=⎤⎥⎥⎥ ⌋=⎥⎥⎥⎦ "

	double = " C=ℂ H=ℍ N=ℕ P=ℙ Q=ℚ R=ℝ Z=ℤ E=𝔼 F=𝔽 K=𝕂 A=𝔸 B=𝔹 D=𝔻 G=𝔾 S=𝕊 T=𝕋 1=𝟙 "
	script = " A=𝒜 B=ℬ C=𝒞 D=𝒟 E=ℰ F=ℱ G=𝒢 H=ℋ I=ℐ J=𝒥 K=𝒦 L=ℒ M=ℳ N=𝒩 O=𝒪 P=𝒫 Q=𝒬 R=ℛ S=𝒮 T=𝒯 U=𝒰 V=𝒱 W=𝒲 X=𝒳" +
		" Y=𝒴 Z=𝒵 "

	raised = " 0=⁰ 1=¹ 2=² 3=³ 4=⁴ 5=⁵ 6=⁶ 7=⁷ 8=⁸ 9=⁹ +=⁺ -=⁻ −=⁻ ==⁼ (=⁽ )=⁾ a=ᵃ b=ᵇ c=ᶜ d=ᵈ e=ᵉ f=ᶠ g=ᵍ h=ʰ i=ⁱ j=ʲ" +
		" k=ᵏ l=ˡ m=ᵐ n=ⁿ o=ᵒ p=ᵖ r=ʳ s=ˢ t=ᵗ u=ᵘ v=ᵛ w=ʷ x=ˣ y=ʸ z=ᶻ A=ᴬ B=ᴮ D=ᴰ E=ᴱ G=ᴳ H=ᴴ I=ᴵ J=ᴶ K=ᴷ L=ᴸ M=ᴹ N=ᴺ O=ᴼ" +
		" P=ᴾ R=ᴿ T=ᵀ U=ᵁ V=ⱽ W=ᵂ β=ᵝ γ=ᵞ δ=ᵟ θ=ᶿ *=* ∗=* ′=′ °=° †=† "
	lowered = " 0=₀ 1=₁ 2=₂ 3=₃ 4=₄ 5=₅ 6=₆ 7=₇ 8=₈ 9=₉ +=₊ -=₋ −=₋ ==₌ (=₍ )=₎ a=ₐ e=ₑ h=ₕ i=ᵢ j=ⱼ k=ₖ l=ₗ m=ₘ n=ₙ o=ₒ" +
		" p=ₚ r=ᵣ s=ₛ t=ₜ u=ᵤ v=ᵥ x=ₓ β=ᵦ γ=ᵧ ρ=ᵨ "
)

// find returns the text for name in one of the tables.
func find(table, name string) (string, bool) {
	i := strings.Index(table, " "+name+"=")
	if i < 0 {
		return "", false
	}
	rest := table[i+len(name)+2:]
	_, size := utf8.DecodeRuneInString(rest)
	return strings.ReplaceAll(rest[:size+strings.IndexAny(rest[size:], " \n")], "␣", " "), true
}

// symbol returns what a character or the name of a command stands for.
func symbol(name string) (atom, bool) {
	for i, table := range [...]string{ordinaries, binaries, relations, operators, functions, openings, closings} {
		if text, ok := find(table, name); ok {
			class := [...]class{ordinary, binary, relation, operator, function, opening, closing}[i]
			return atom{class, text}, true
		}
	}
	return atom{}, false
}

// Raised returns text in superscript characters, if there is one for each of its characters.
func Raised(text string) (string, bool) { return translate(raised, text) }

// Lowered returns text in subscript characters, if there is one for each of its characters.
func Lowered(text string) (string, bool) { return translate(lowered, text) }

// translate replaces each character by what stands for it in a table, if there is something for all of them.
func translate(table, text string) (string, bool) {
	var b strings.Builder
	for _, r := range text {
		to, ok := find(table, string(r))
		if !ok {
			return "", false
		}
		b.WriteString(to)
	}
	return b.String(), true
}
