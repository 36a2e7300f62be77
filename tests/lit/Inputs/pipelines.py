"""A pipeline for functions."""

from passel import default_registry

default_registry().register_pipeline("mark-functions", lambda manager: manager.add("mark"))
