from pkgutil import iter_modules

import pytest

# So that an assertion in a module beside the test files says what it saw as well.
pytest.register_assert_rewrite(*(f"tests.{folder.name}" for folder in iter_modules(__path__)))
