"""An MCP server of FastMCP with FastMCP's own OAuth provider, which keeps everything in memory.

It listens on a free port of the loopback interface and prints its address. POST /forget/access ends the access tokens,
/forget/logins also the refresh tokens, and /forget/clients also the registered clients, as a restart does.
"""

import socket

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from starlette.responses import PlainTextResponse

listener = socket.create_server(("127.0.0.1", 0))
home = f"http://127.0.0.1:{listener.getsockname()[1]}"

provider = InMemoryOAuthProvider(
    base_url=home,
    required_scopes=["read"],
    client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["read", "write"]),
)
server = FastMCP("vault", auth=provider)


@server.tool
def look() -> str:
    return "look: done"


@server.custom_route("/forget/{what}", methods=["POST"])
async def forget(request):
    what = request.path_params["what"]
    provider.access_tokens.clear()
    if what in ("logins", "clients"):
        provider.refresh_tokens.clear()
    if what == "clients":
        provider.clients.clear()
    return PlainTextResponse("forgotten")


print(home, flush=True)
uvicorn.Server(uvicorn.Config(server.http_app(), log_level="warning")).run(sockets=[listener])
