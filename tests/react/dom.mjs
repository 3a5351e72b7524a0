// Provides an emulated DOM for component tests. It is loaded before each test file (`node --import`). Whole pages are
// tested in a real browser.

import { GlobalRegistrator } from "@happy-dom/global-registrator";

GlobalRegistrator.register({ url: "https://site.test/", width: 1024, height: 768 });
// Enables React's warnings about updates that are not wrapped in `act`.
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// A test waits for what it expects as long as a slow machine under load needs. The library looks for the document when it is loaded.
const { configure } = await import("@testing-library/react");
configure({ asyncUtilTimeout: 60_000 });
