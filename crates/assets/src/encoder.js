// Encodes pictures with sharp. sitegen runs this text with `node --eval`, with the folder of the site's packages as its
// argument, writes one JSON request per line to standard input, and reads one answer per line from standard output.
//
// A request holds the pixels themselves: sitegen has decoded and resized them, so no file reaches sharp's decoders.

const { createInterface } = require("node:readline");
const sharp = require(require("node:path").join(process.argv[1], "sharp"));

// sitegen sends as many requests at a time as there are cores, so one thread for each is enough.
sharp.concurrency(1);
sharp.cache(false);

const answer = (id, value) => process.stdout.write(`${JSON.stringify({ id, answer: value })}\n`);

const encode = async ({ width, height, channels, pixels, format, options }) => {
  try {
    const source = sharp(Buffer.from(pixels, "base64"), { raw: { width, height, channels } });
    const bytes = await source.toFormat(format, options).toBuffer();
    return { bytes: bytes.toString("base64") };
  } catch (error) {
    return { failed: error.message };
  }
};

answer(0, process.version);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, request } = JSON.parse(line);
  void encode(request).then((encoded) => answer(id, encoded));
});
