"""Calls every public method of py3xui against a panel, as a program of its users would.

Takes one JSON object as its argument: kind (sync or async), clients (ids of two new clients), port, email (the
beginning of both), version (of the core to install), file (for the database). The host, and the name and password or
the token, come from the environment, as py3xui reads them.
Prints one JSON line for each operation: {"op", "value"} or {"op", "error"}, and continues after an error.
"""

import asyncio
import inspect
import json
import os
import sys

from py3xui import Api, AsyncApi, Client, Inbound
from py3xui.inbound import Settings, Sniffing, StreamSettings

PARTS = ("client", "inbound", "database", "server")


def plain(value):
    """What JSON can hold of a result."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.model_dump(by_alias=True, mode="json") if hasattr(value, "model_dump") else value


async def said(op, call):
    """Tells how a call ended and returns its result, or None for an error."""
    try:
        result = call()
        value = await result if inspect.isawaitable(result) else result
    except Exception as error:  # pylint: disable=broad-except
        print(json.dumps({"op": op, "error": f"{type(error).__name__}: {error}"}), flush=True)
        return None
    print(json.dumps({"op": op, "value": plain(value)}), flush=True)
    return value


def surface(api):
    """The public methods of the four parts."""
    return [
        f"{part}.{name}"
        for part in PARTS
        for name, _ in inspect.getmembers(getattr(api, part), inspect.ismethod)
        if not name.startswith("_") and name != "login"
    ]


async def drive(kind, clients, port, email, version, file):
    api = (AsyncApi if kind == "async" else Api).from_env()
    await said("surface", lambda: surface(api))
    if "XUI_TOKEN" not in os.environ:
        await said("login", api.login)

    ours = Inbound(
        enable=True,
        port=port,
        protocol="vless",
        listen="127.0.0.1",
        remark=email,
        settings=Settings(decryption="none"),
        sniffing=Sniffing(enabled=True),
        stream_settings=StreamSettings(security="none", network="tcp"),
    )
    await said("inbound.add", lambda: api.inbound.add(ours))
    found = await said("inbound.get_list", api.inbound.get_list) or []
    number = next((inbound.id for inbound in found if inbound.port == port), 0)
    stored = await said("inbound.get_by_id", lambda: api.inbound.get_by_id(number))
    stored.remark = f"{email} updated"
    await said("inbound.update", lambda: api.inbound.update(number, stored))

    first, second = (Client(id=key, email=f"{email}-{at}", enable=True) for at, key in enumerate(clients))
    await said("client.add", lambda: api.client.add(number, [first, second]))
    known = await said("client.get_by_email", lambda: api.client.get_by_email(first.email))
    known.total_gb = 10 * 1024**3
    known.limit_ip = 2
    await said("client.update", lambda: api.client.update(clients[0], known))
    await said("client.get_traffic_by_id", lambda: api.client.get_traffic_by_id(clients[0]))
    await said("client.get_ips", lambda: api.client.get_ips(first.email))
    await said("client.reset_ips", lambda: api.client.reset_ips(first.email))
    await said("client.online", api.client.online)
    await said("client.reset_stats", lambda: api.client.reset_stats(number, first.email))
    await said("client.delete_depleted", lambda: api.client.delete_depleted(number))
    await said("client.delete", lambda: api.client.delete(number, clients[1]))
    # As its users change clients in bulk: the inbound as it was read, sent back.
    whole = await said("inbound.get_by_id", lambda: api.inbound.get_by_id(number))
    await said("inbound.update", lambda: api.inbound.update(number, whole))
    await said("inbound.reset_client_stats", lambda: api.inbound.reset_client_stats(number))
    await said("inbound.reset_stats", api.inbound.reset_stats)

    await said("server.get_db", lambda: api.server.get_db(file))
    await said("server.get_status", api.server.get_status)
    await said("server.generate_reality_keys", api.server.generate_reality_keys)
    await said("server.get_xray_version", api.server.get_xray_version)
    await said("server.get_server_config", api.server.get_server_config)
    await said("server.update_geofile", api.server.update_geofile)
    await said("server.install_new_xray_version", lambda: api.server.install_new_xray_version(version))
    await said("database.export", api.database.export)
    await said("inbound.delete", lambda: api.inbound.delete(number))
    # The errors of invalid calls.
    await said("refused", lambda: api.inbound.get_by_id(999_999))


asyncio.run(drive(**json.loads(sys.argv[1])))
