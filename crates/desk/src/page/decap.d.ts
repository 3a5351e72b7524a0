// Types of what the page of the forms takes from elsewhere: the script of Decap CMS, which has none for a page without a
// bundler, and the configuration of `crates/desk/src/lib.rs`.

export type Json = null | undefined | string | number | boolean | Json[] | Block;
export interface Block {
  [key: string]: Json;
}

/** What a file is: its name in `crates/desk/src/lib.rs`. */
export type Kind = "data" | "page" | "post";

/** Which blocks of a file the form shows as lists; see `Rules` in `crates/desk/src/fields.rs`. */
export interface Rules {
  map?: boolean;
  fixed?: string[];
  each?: Rules;
  kinds?: [string, Rules][];
  keys?: [string, Rules][];
}

/** The order of a block that is a list in the form. */
export type Order = {
  path: string[];
  names: string[];
};

/** What a form keeps of its file, below `__sitegen`. */
export type Meta = {
  path?: string;
  /** The text that the file had when the form was opened, or with the values of its last save. */
  base?: string | null;
  /** The text that it had when the form was opened, after a save. */
  opened?: string | null;
  written?: { items?: string[]; blocks?: string[] };
  orders?: Order[];
};

/** The values of a file, or of its form. */
export type Values = Block & { __sitegen?: Meta };

export interface Collection {
  name: string;
  format: string;
  folder?: string;
  extension?: string;
  path?: string;
  files?: { name: string }[];
}

export interface Config {
  locale: "en" | "es";
  public_folder: string;
  collections: Collection[];
  backend: { name: string; proxy_url?: string };
}

export interface Sitegen {
  preview: boolean;
  base_path: string;
  formats: { name: string; extension: string; kind: Kind; rules: Rules }[];
  types: Block;
  lists: Record<string, string[]>;
  addresses: Record<string, string>;
}

export interface Format {
  fromFile: (text: string) => Values;
  toFile: (values: Values, order?: string[]) => string;
}

/** What Decap calls a field or an entry: a map of its library. */
export interface Entry {
  get(key: "path"): string;
  get(key: "data"): { toJS(): Values } | undefined;
  get(key: "newRecord" | "scalar"): boolean | undefined;
  get(key: "list"): string;
  get(key: "input" | "placeholder"): string | undefined;
}

export interface Picture {
  src?: string;
  alt?: string;
  decorative?: boolean;
  /** From the left and from the top, 0 to 1. */
  focus?: [number, number];
}

export interface WidgetProps<Value> {
  forID: string;
  field: Entry;
  entry?: Entry;
  value: Value | { toJS(): Value } | undefined;
  onChange(value: Value | undefined): void;
  mediaPaths?: { get(id: string): string | string[] | undefined };
  onRemoveInsertedMedia(id: string): void;
  onOpenMediaLibrary(options: { controlID: string; forImage: boolean; value: string; allowMultiple: boolean; field: Entry }): void;
  getAsset(path: string, field: Entry): { toString(): string } | undefined;
}

/** An element of React, which Decap brings. */
export interface VirtualElement {
  readonly type: unknown;
}
export type Child = VirtualElement | string | null | undefined | false | "" | Child[];
export interface ComponentClass {
  readonly displayName?: string;
}

export interface Component<Props> {
  props: Props;
  forceUpdate(): void;
}

/** A file that is saved, as text. */
export interface DataFile {
  path: string;
  raw: string;
}

/** What reads and commits the files of a Git host. */
export interface Backend {
  getEntry(path: string): Promise<{ data?: string }>;
  persistEntry(entry: { dataFiles: DataFile[] }, options: unknown): Promise<unknown>;
}

export interface Cms {
  getBackend(name: string): { init(...settings: unknown[]): Backend };
  init(options: { config: unknown }): void;
  registerCustomFormat(name: string, extension: string, format: Format): void;
  registerWidget(name: string, control: ComponentClass, preview: ComponentClass): void;
  registerPreviewStyle(style: string, options: { raw: boolean }): void;
  registerPreviewTemplate(name: string, component: ComponentClass): void;
}

export type CreateClass<Props> = <Methods>(methods: Methods & ThisType<Methods & Component<Props>>) => ComponentClass;

declare global {
  interface Window {
    CMS_MANUAL_INIT?: boolean;
    CMS: Cms;
    createClass: CreateClass<any>;
    h(name: string, properties: object, ...children: Child[]): VirtualElement;
  }
}
