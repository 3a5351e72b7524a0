// The rules of style sheets. Biome formats them; the rules here find what a browser ignores or a reader trips over.

export default {
  extends: ["stylelint-config-standard"],
  reportDescriptionlessDisables: true,
  reportInvalidScopeDisables: true,
  reportNeedlessDisables: true,
  rules: {
    // Classes are named block__element--modifier.
    "selector-class-pattern": "^[a-z][a-z\\d]*(-[a-z\\d]+)*(__[a-z\\d]+(-[a-z\\d]+)*)?(--[a-z\\d]+(-[a-z\\d]+)*)?$",
    // `currentColor` is written as it is in SVG.
    "value-keyword-case": ["lower", { camelCaseSvgKeywords: true }],
    // esbuild replaces the imports with the files.
    "import-notation": "string",
    // Safari has these two only with a prefix, and nothing adds prefixes to what is written.
    "property-no-vendor-prefix": [true, { ignoreProperties: ["-webkit-box-decoration-break", "-webkit-text-size-adjust"] }],
    // Newer than the list of stylelint: the link to the part that is being read.
    "selector-pseudo-class-no-unknown": [true, { ignorePseudoClasses: ["target-current"] }],
    // Off: it compares selectors that end alike, which here stand for different elements, states or widths.
    "no-descending-specificity": null,
  },
};
