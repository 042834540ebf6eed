"""Plain functions, each in a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[..., T], **given: object) -> T:
    """Call the function in a new thread, which is left alone when nobody waits for it any more.

    A function that hangs would take a thread of asyncio's pool from all others for good, and keep
    the process from ending.
    """
    result: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        result.set_running_or_notify_cancel()
        try:
            value = context.run(function, **given)
        except BaseException as error:  # noqa: BLE001 (whoever waits gets it)
            result.set_exception(error)
        else:
            result.set_result(value)

    Thread(target=work, name=f"tool {function.__name__}", daemon=True).start()
    return await asyncio.wrap_future(result)
