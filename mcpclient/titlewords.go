package mcpclient

import "strings"

// titleWords are the words with other capitals than the first letter, by their lower case.
var titleWords = byLowerCase(`
	2D 2FA 3D ACL AI API APIs APK ARN ARNs arXiv ASCII AST AWS Base64 BigQuery CD CDN CDP CEO CI CIDR CLI ClickHouse
	CloudFormation CloudFront CloudWatch CMS CPU CQL CRD CRDs CRM CSS CSV CVE D1 DB DBs DDL DeepWiki DevTools DM DMs DNS
	DOM DSN DSNs DuckDB DynamoDB EC2 ECS EKS ElevenLabs ETA ETF ETL EVM FAQ FTP GCP GDPR GIF GitHub GitLab GPS GPT GPU
	GraphQL HTML HTTP HTTPS HubSpot IAM IBAN ID IDE IDs IO iOS IP IPs IPv4 IPv6 ISBN ISO JavaScript JPEG JPG JQL JS JSON
	JSONL JSONPath JWT K8s KMS KPI KPIs KQL KV LaTeX LinkedIn LLM LogQL LSP macOS MCP MCPs MD5 ML MongoDB MP3 MP4 MR MRs
	MSSQL MX MySQL n8n NFT NoSQL npm OAuth OAuth2 OCR OnCall OneDrive OneNote OpenAI OpenAPI OpenSearch OpenShift OS OTel
	PayPal PDF PDFs PHP PNG POI POIs PostgreSQL PowerPoint PowerShell PR PromQL PRs PyPI QA QR R2 RAG RAM RBAC RDF RDS
	ROI RPC RSS S3 SARIF SDK SEO SHA SHA1 SHA256 SharePoint SIEM SLA SLAs SLO SLOs SMS SMTP SNS SPARQL SQL SQLite SQS SSE
	SSH SSL SSO STT SVG TCP TikTok TLS TOML TOTP TSV TTL TTS TV TypeScript UDP UI UID UIDs URI URIs URL URLs USB UTC UTF8
	UUID UUIDs UX VM VMs VPC VPN VS W3C WhatsApp WiFi WordPress WWW XLSX XML XPath YAML YouTube`)

func byLowerCase(words string) map[string]string {
	table := map[string]string{}
	for word := range strings.FieldsSeq(words) {
		table[strings.ToLower(word)] = word
	}
	return table
}
