// Asks the index of the search. Pagefind's worker reads it: the worker has the policy of its own response, which allows
// WebAssembly, so that no page has to. This file sends it the messages that Pagefind's own script sends.

import type { Query } from "./query";
import { readable, wanted } from "./text";

/** More of a query is not searched: nobody types it, and each word of it is looked up. */
const MAX_QUERY = 200;

/** A place in a page, with the text around the words. */
export interface Place {
  title: string;
  url: string;
  excerpt: string;
}

/** A page that was found. */
export interface Page extends Place {
  kind: string | undefined;
  /** Its places at headings. */
  places: Place[];
}

/** The pages that were found, best first; `load` fetches some of them at the same time. */
export interface Results {
  length: number;
  load: (from: number, to: number) => Promise<Page>[];
  /** How many results would have each value of a filter, if none of its values was chosen. */
  count: (filter: string) => Promise<Record<string, number>>;
}

interface Found {
  results: { data: string }[];
  /** By filter and value, the number of results. Filters that were not loaded are missing. */
  filters: Record<string, Record<string, number>>;
}

interface Fragment {
  url: string;
  excerpt: string;
  meta: { title?: string };
  filters: { kind?: string[] };
  sub_results: Place[];
}

interface Answer {
  id?: string;
  result?: unknown;
  error?: string;
  /** Set by the line that the build puts before Pagefind's worker: a file of the index is missing or damaged. */
  lost?: string;
  /** Set by another such line if the site is large: the folders of the other parts of the index, by language. */
  parts?: Record<string, string[]>;
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** The language of the page decides which index is searched. */
const language = (): string => document.documentElement.lang.toLowerCase() || "unknown";

/** What a rehearsal looks for: a letter of the script of the page, which some page has. */
const someLetter = (): string => Array.from(document.title.trim())[0] ?? "a";

/** One worker. After a failure it is not used again. */
class Connection {
  private readonly worker: Worker;
  private readonly waiting = new Map<string, Waiting>();
  private readonly ready: Promise<unknown>;
  private next = 0;
  private lost: Error | undefined;
  private filters: Promise<unknown> | undefined;
  private parts: Record<string, string[]> = {};

  constructor(index: string, base: string) {
    this.worker = new Worker(`${index}pagefind-worker.js`);
    this.worker.addEventListener("error", () => this.fail(new Error("the search could not be loaded")));
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.receive(data));
    // Weights are in the index. Titles would count once more, whatever the site says.
    const ranking = { metaWeights: { title: 0 } };
    const options = { baseUrl: base, language: language(), ranking };
    const merge = (folder: string): Promise<unknown> => this.post("mergeIndex", [`${index}parts/${folder}/`, options]);
    const others = (): string[] => this.parts[language()] ?? this.parts[language().split("-")[0] ?? ""] ?? [];
    // The worker tells of other parts before it answers.
    this.ready = this.post("init", [{ basePath: index, ...options }]).then(() => Promise.all(others().map(merge)));
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  /**
   * Searches and reads a result before the visitor has typed: what every search needs is compiled then, and the first part of
   * the index is there.
   */
  async rehearse(): Promise<void> {
    const { results } = await this.ask<Found>("search", [someLetter(), {}]);
    if (results[0]) await this.ask("getData", [results[0].data]);
  }

  /** Loads the values of all filters, once. */
  loadFilters(): Promise<unknown> {
    this.filters ??= this.ask("filters", []);
    return this.filters;
  }

  /** Asks the worker when it has loaded what it needs: it would look every 50 ms whether it has. */
  async ask<T>(method: string, args: unknown[]): Promise<T> {
    await this.ready;
    return this.post(method, args);
  }

  private post<T>(method: string, args: unknown[]): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.lost) {
        reject(this.lost);
        return;
      }
      const id = String(this.next++);
      this.waiting.set(id, { resolve: (result) => resolve(result as T), reject });
      this.worker.postMessage({ id, instanceId: "site", method, args });
    });
  }

  private receive({ id, result, error, lost, parts }: Answer): void {
    if (parts !== undefined) {
      this.parts = parts;
      return;
    }
    if (lost !== undefined) {
      this.fail(new Error(lost));
      return;
    }
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    this.waiting.delete(id ?? "");
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(result);
  }

  private fail(error: Error): void {
    this.lost = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.worker.terminate();
  }
}

/** The index at an address. */
export class Client {
  private connection: Connection | undefined;

  constructor(
    private readonly index: string,
    private readonly base: string,
    private readonly hasFilters: boolean,
  ) {}

  /** Starts to load what every search needs. */
  prepare(): Connection {
    if (!this.connection || this.connection.isLost) {
      const connection = new Connection(this.index, this.base);
      const filters = (): unknown => (this.hasFilters ? connection.loadFilters() : undefined);
      connection
        .rehearse()
        .then(filters)
        .catch(() => undefined);
      this.connection = connection;
    }
    return this.connection;
  }

  /** Finds pages that have the words, and what was chosen. */
  async search(query: Query): Promise<Results> {
    try {
      return await this.searchOnce(query);
    } catch {
      // A page that was open while the site was published asks for files of the old index: the entry is read again.
      this.connection = undefined;
      return this.searchOnce(query);
    }
  }

  private async searchOnce({ words, choices }: Query): Promise<Results> {
    const connection = this.prepare();
    const short = wanted(Array.from(words).slice(0, MAX_QUERY).join(""), language());
    const find = (filters: Query["choices"]): Promise<Found> => connection.ask<Found>("search", [short, { filters }]);
    const { results } = await find(choices);
    const fetchPage = async ({ data }: { data: string }): Promise<Page> => {
      const { url, excerpt, meta, filters: of, sub_results } = await connection.ask<Fragment>("getData", [data]);
      const places = sub_results
        .filter((place) => place.url !== url)
        .map((place) => ({ title: readable(place.title), url: place.url, excerpt: readable(place.excerpt) }));
      return { title: meta.title ?? url, url, excerpt: readable(excerpt), kind: of.kind?.[0], places };
    };
    const load = (from: number, to: number): Promise<Page>[] => {
      const pages = results.slice(from, to).map(fetchPage);
      // One that fails is noticed by whoever waits for it; the others are not waited for then.
      for (const page of pages) page.catch(() => undefined);
      return pages;
    };
    // All filters that have no choice are counted by one search.
    const counted = new Map<string, Promise<Found>>();
    const count = async (filter: string): Promise<Record<string, number>> => {
      await connection.loadFilters();
      const others = Object.fromEntries(Object.entries(choices).filter(([name]) => name !== filter));
      const key = JSON.stringify(others);
      const found = counted.get(key) ?? find(others);
      counted.set(key, found);
      return (await found).filters[filter] ?? {};
    };
    return { length: results.length, load, count };
  }
}
