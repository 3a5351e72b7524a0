// The rules of React for components and hooks: complete dependencies of effects, no refs and no side effects while
// rendering, and all else that the React compiler relies on. The other rules of scripts are in biome.jsonc.

import parser from "@typescript-eslint/parser";
import hooks from "eslint-plugin-react-hooks";

export default [
  {
    files: ["react/**/*.{ts,tsx}"],
    // Written by `cargo test -p api-types`.
    ignores: ["react/generated/**"],
    languageOptions: { parser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "react-hooks": hooks },
    // All rules, also those that are not recommended to everyone.
    rules: Object.fromEntries(Object.keys(hooks.rules).map((name) => [`react-hooks/${name}`, "error"])),
  },
];
