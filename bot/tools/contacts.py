"""`save_contact`: a phone number and an e-mail address, however they come, become one record."""

from typing import Annotated

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from pydantic import Field

from coordination.tools.tool import Call, ToolFailed, acting
from storage import contacts


async def _forget(call: Call, result: str, **_arguments: str) -> None:  # noqa: ARG001
    await contacts.forget_facts(call.db, call.conversation, key=call.key)


@acting(on_crash="repeat", undo=_forget)
async def save_contact(
    call: Call,
    phone: Annotated[
        str | None, Field(description="International format with +, for example +442071838750")
    ] = None,
    email: Annotated[str | None, Field(description="E-mail address")] = None,
) -> str:
    """Save the user's phone number, e-mail address, or both. What was saved before stays."""
    facts = {}
    if phone is not None:
        facts["phone"] = _phone(phone)
    if email is not None:
        facts["email"] = _email(email)
    if not facts:
        raise ToolFailed("Neither a phone number nor an e-mail address was given.")
    await contacts.save_facts(call.db, call.conversation, key=call.key, facts=facts)
    record = await contacts.contact_of(call.db, call.conversation)
    return "Saved contact: " + ", ".join(f"{kind} {record[kind]}" for kind in sorted(record))


def _phone(given: str) -> str:
    try:
        number = phonenumbers.parse(given)
    except phonenumbers.NumberParseException:
        raise ToolFailed(
            f"{given} is no phone number in international format (+, country, number): "
            "ask the user for the country."
        ) from None
    if not phonenumbers.is_valid_number(number):
        raise ToolFailed(f"{given} is no valid phone number: ask the user to check it.")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _email(given: str) -> str:
    try:
        # The domain is not looked up: that would need the network, and time.
        return validate_email(given, check_deliverability=False).normalized
    except EmailNotValidError as error:
        raise ToolFailed(f"{given} is no e-mail address: {error}") from None
