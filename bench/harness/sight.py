"""The visual quality of encoded pictures: SSIMULACRA2 scores, computed with the packages of `install.metric`."""

import json
import os
import subprocess

# Runs in the virtual environment with the packages: reads pairs of files, prints a score for each.
PROGRAM = """
import json, os, sys, tempfile
from concurrent.futures import ProcessPoolExecutor
from PIL import Image, ImageOps
import ssimulacra2

def score(pair):
    source, encoded = pair
    with Image.open(encoded) as picture, Image.open(source) as original, tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("original.png", "encoded.png")]
        resized = ImageOps.exif_transpose(original).convert("RGB").resize(picture.size, Image.Resampling.LANCZOS)
        resized.save(files[0], compress_level=1)
        picture.convert("RGB").save(files[1], compress_level=1)
        return ssimulacra2.compute_ssimulacra2(*files)

if __name__ == "__main__":
    with ProcessPoolExecutor() as pool:
        print(json.dumps(list(pool.map(score, json.load(sys.stdin)))))
"""


def scores(python, pairs):
    """A score for each pair of an original and an encoded file. The original is resized to the size of the encoded file."""
    pairs = json.dumps([[str(source), str(encoded)] for source, encoded in pairs])
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([python, "-c", PROGRAM], input=pairs, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)
