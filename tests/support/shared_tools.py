"""A module of tools such as an operator writes, for bots in other processes."""

import asyncio

from coordination.tools.tool import acting


@acting(on_crash="repeat", resources=["oven"])
async def use_oven(seconds: float) -> str:
    """Use the oven for so many seconds."""
    await asyncio.sleep(seconds)
    return "used"
