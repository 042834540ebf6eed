"""The tools that come with the bot; TOOLS names the modules that the model may use."""
