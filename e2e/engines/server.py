"""Serves a real model with OpenAI's API: server.py PORT WEIGHTS TEMPLATE KEY REPLICAS

It runs llama-cpp-python's server. With replicas, Ray Serve runs that many of it and spreads the requests. Each serves
one request at a time. TEMPLATE is a chat template in Jinja that offers tools. Standard input must stay open: its end
stops the server.
"""

import os
import signal
import sys
import threading

port, weights, template, key, replicas = sys.argv[1:]


def chat():
    """Returns the application. Ray Serve calls it in each replica."""
    import llama_cpp.llama_chat_format as formats
    import llama_cpp.llama_cpp as low
    from llama_cpp.server.app import create_app
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    # Some virtual machines announce AMX, and crash when it is used.
    defaults = low.llama_model_default_params

    def without_amx():
        params = defaults()
        params.use_extra_bufts = False
        return params

    low.llama_model_default_params = without_amx

    with open(template) as file:
        formatter = formats.Jinja2ChatFormatter(file.read(), eos_token="<|im_end|>", bos_token="")
    answer = formatter.to_chat_handler()

    def calm(**request):
        """Answers the same each time, and briefly unless the model is called long."""
        limit = 400 if request["model"] == "real-long" else 80
        return answer(**{**request, "temperature": 0, "repeat_penalty": 1, "max_tokens": limit})

    formats.register_chat_completion_handler("real")(calm)
    return create_app(
        server_settings=ServerSettings(api_key=key, interrupt_requests=False),
        model_settings=[
            ModelSettings(model=weights, model_alias=name, chat_format="real", n_ctx=2048, n_threads=1, verbose=False)
            for name in ("real", "real-long")
        ],
    )


def stop_at_end_of_input():
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


threading.Thread(target=stop_at_end_of_input, daemon=True).start()
if replicas == "0":
    import uvicorn

    uvicorn.run(chat(), host="127.0.0.1", port=int(port))
else:
    import ray
    from ray import serve

    ray.init(include_dashboard=False, num_cpus=int(replicas), _node_ip_address="127.0.0.1")
    serve.start(http_options={"host": "127.0.0.1", "port": int(port)})
    deployment = serve.deployment(
        serve.ingress(chat)(), name="chat", num_replicas=int(replicas), max_ongoing_requests=1
    )
    serve.run(deployment.bind(), name="chat", blocking=True)
