// Component tests of the list of case studies: its count, filters, search and URL.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { CaseExplorer as Props } from "../../generated/wire";
import CaseExplorer from "./case-explorer";

const link = (href: string): Props["list"] => ({ href, external: false, hreflang: null });

const study = (title: string, ids: string[]): Props["studies"][0] => ({
  title,
  client: `${title} Ltd`,
  description: `About ${title}.`,
  metric: "2×",
  metricLabel: "faster",
  ids,
  sectors: ["Health"],
  link: link(`/studies/${title.toLowerCase()}/`),
  picture: null,
});

const props: Props = {
  list: link("/studies/"),
  groups: [
    {
      kind: "service",
      entries: [
        { id: "operations-automation", name: "Operations", count: 2, link: link("/studies/service/operations-automation/") },
      ],
    },
    { kind: "tech", entries: [{ id: "python", name: "Python", count: 1, link: link("/studies/tech/python/") }] },
  ],
  filter: null,
  studies: [study("Mill", ["operations-automation"]), study("Clinic", ["operations-automation", "python"])],
  messages: {
    searchCaseStudies: "Search...",
    searchLabel: "Search by title",
    filters: "Filters",
    filterService: "service",
    filterTech: "tech",
    filterSector: "sector",
    services: "Services",
    technologies: "Technologies",
    sectors: "Sectors",
    clear: "Clear",
    clearFilters: "Clear filters",
    clearAllFilters: "Clear all filters",
    caseStudiesFound: "{count, plural, en, one {{count} case study found} other {{count} case studies found}}",
    filteredBy: "Filtered by {type}: {name}",
    noCaseStudies: "No case studies found",
    noCaseStudiesHint: "Try other words.",
  },
};

const filtered: Props = { ...props, filter: { kind: "service", id: "operations-automation" } };
const type = (text: string): void => {
  fireEvent.change(screen.getByRole("textbox"), { target: { value: text } });
};
const titles = (): string[] =>
  [...document.querySelectorAll(".case-explorer-card:not([hidden]) h3")].map((heading) => heading.textContent ?? "");
const count = (): string | null => screen.getAllByRole("heading", { level: 2 })[1]?.textContent ?? null;

describe("the list of case studies", () => {
  beforeEach(() => history.replaceState(null, "", "/studies/"));
  afterEach(cleanup);

  it("shows the number of case studies, and no link to clear filters", () => {
    render(<CaseExplorer {...props} />);
    assert.equal(count(), "2 case studies found");
    assert.equal(screen.queryByRole("link", { name: "Clear filters" }), null);
  });

  it("uses the singular for a single case study", () => {
    render(<CaseExplorer {...props} studies={props.studies.slice(0, 1)} />);
    assert.equal(count(), "1 case study found");
  });

  it("links each filter with its name and count", () => {
    render(<CaseExplorer {...props} />);
    assert.equal(screen.getByRole("link", { name: /Python\s*1/ }).getAttribute("href"), "/studies/tech/python/");
  });

  it("derives the name of the active filter from its id, and marks the filter as current", () => {
    render(<CaseExplorer {...filtered} />);
    assert.ok(screen.getByText("Filtered by service: Operations Automation"));
    assert.equal(screen.getByRole("link", { name: /Operations\s*2/ }).getAttribute("aria-current"), "page");
    assert.equal(screen.getByRole("link", { name: "Clear filters" }).getAttribute("href"), "/studies/");
  });

  it("filters while typing, and keeps the query in the URL and in the links of filters", () => {
    render(<CaseExplorer {...props} />);
    type("PYTHON");
    assert.deepEqual(titles(), ["Clinic"]);
    assert.equal(count(), "1 case study found");
    assert.equal(location.search, "?q=PYTHON");
    assert.equal(screen.getByRole("link", { name: /Python\s*1/ }).getAttribute("href"), "/studies/tech/python/?q=PYTHON");
  });

  it("leaves a long list as it is until the visitor pauses, and then renders no card again", async () => {
    let renders = 0;
    const studies = Array.from({ length: 300 }, (_, at) => ({
      ...study(`Study ${at}`, []),
      get metricLabel() {
        renders += 1;
        return "faster";
      },
    }));
    render(<CaseExplorer {...props} studies={studies} />);
    assert.equal(renders, studies.length);
    for (const query of ["study 1", "study 12", ""]) {
      const before = titles().length;
      type(query);
      assert.equal((screen.getByRole("textbox") as HTMLInputElement).value, query);
      assert.equal(titles().length, before, "the list does not follow each key");
      const words = query.split(" ");
      const wanted = studies.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word))).length;
      await waitFor(() => assert.equal(titles().length, wanted, query));
    }
    await waitFor(() => assert.equal(location.search, ""));
    assert.equal(renders, studies.length);
  });

  it("reads the query from the URL after hydration", async () => {
    history.replaceState(null, "", "/studies/?q=mill");
    render(<CaseExplorer {...props} />);
    await waitFor(() => assert.equal(count(), "1 case study found"));
    assert.equal((screen.getByRole("textbox") as HTMLInputElement).value, "mill");
  });

  it("shows a message if nothing is found, and clears the search", () => {
    render(<CaseExplorer {...props} />);
    type("nothing like it");
    assert.equal(count(), "No case studies found");
    assert.ok(screen.getByText("Try other words."));
    fireEvent.click(screen.getByRole("link", { name: "Clear all filters" }));
    assert.equal(count(), "2 case studies found");
    assert.equal(location.search, "");
    assert.equal(document.activeElement, screen.getByRole("textbox"));
  });

  it("follows the link to the whole list from the page of a filter", () => {
    render(<CaseExplorer {...filtered} />);
    type("nothing like it");
    const clear = screen.getByRole("link", { name: "Clear all filters" });
    assert.equal(clear.getAttribute("href"), "/studies/");
    assert.equal(fireEvent.click(clear), true, "the browser follows the link");
  });

  it("announces the count after a delay, and not on the first render", async () => {
    render(<CaseExplorer {...props} />);
    assert.equal(screen.getByRole("status").textContent, "");
    type("m");
    type("mi");
    assert.equal(screen.getByRole("status").textContent, "");
    await waitFor(() => assert.equal(screen.getByRole("status").textContent, "1 case study found"));
  });
});
