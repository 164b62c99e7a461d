"""What the papers report of these models, on their own machines and in Julia; what is reached here.

The last column is that of docs/accuracy.md, the means of three seeds.
"""

HEAD = ("model", "the paper's system", "its peers", "srcad")

ROWS = (
    (
        "MNIST CNN",
        "5 epochs: 96.20 %; about 35 s an epoch; 7442 GiB allocated in 5 epochs (as printed)",
        "Keras 96.55 %; Flux 95.36 %, 41 576 GiB",
        "5 epochs: 97.37 %",
    ),
    (
        "MNIST RNN",
        "5 epochs: 92.24 %, loss 0.27; 5.11 GB allocated",
        "Flux 94.41 %, 18.3 s, 14.5 GB; PyTorch 94.18 %, 16.2 s, 31.6 GB",
        "5 epochs: 94.85 %",
    ),
    (
        "IMDB text CNN",
        "0.95 train, 0.87 test; epoch 3.8 s (first 20.7); 31.4 GB allocated",
        "Flux 0.87, 10.7 s (first 36.5), 62.9 GB; PyTorch 0.88, 4.8 s (first 6.2)",
        "5 epochs: 0.873; read eight times 0.882",
    ),
    (
        "Autoencoder, one sample",
        "4 epochs by `rdiff`; no figures",
        "-",
        "4 epochs: test error 0.0050 per pixel",
    ),
    (
        "trace(x1 @ x2), value and gradient",
        "YAAD 10.4 us; by hand 6.4 us",
        "Flux 8.0, Zygote 42.5, AutoGrad 50.2, PyTorch 0.4.1 76.8 us",
        "above",
    ),
)
