// The collections: what an entry has, in which form, and to what it refers.
import { defineCollection, reference } from "astro:content";
import { glob } from "astro/loaders";
import { z } from "astro/zod";
import { LANGUAGES } from "./lib/languages";

const words = z.strictObject(Object.fromEntries(LANGUAGES.map((code) => [code, z.string().optional()]))).refine((all) => all.en, "English is missing");
const short = z.strictObject(Object.fromEntries(LANGUAGES.map((code) => [code, z.string().max(160).optional()])));
const amount = z.string().regex(/^\d+(\.\d{2})? [A-Z]{3}$/, "write an amount such as `60 EUR`");
const question = z.strictObject({ question: z.string(), answer: z.string() });
const folder = (name: string) => glob({ pattern: "*.yaml", base: `./content/${name}` });

const treatments = defineCollection({
  loader: folder("treatments"),
  schema: z.strictObject({
    name: words,
    summary: short,
    price: amount,
    duration: z.string().regex(/^(\d+ h)?( ?\d+ min)?$/, "write a duration such as `1 h 30 min`").optional(),
    questions: z.record(z.enum(LANGUAGES), z.array(question)).optional(),
    related: z.array(reference("treatments")).optional(),
  }),
});
const clinics = defineCollection({
  loader: folder("clinics"),
  schema: z.strictObject({
    name: words,
    text: words,
    street: z.string(),
    city: z.string(),
    country: z.string().regex(/^[A-Z]{2}$/, "write a code such as `ES`"),
    hours: z.string(),
    place: z.string().regex(/^-?\d+\.\d+, -?\d+\.\d+$/, "write latitude and longitude").optional(),
    phone: z.string().regex(/^\+[\d ]+$/, "write a number such as `+34 910 000 001`"),
    email: z.email(),
  }),
});
const team = defineCollection({
  loader: folder("team"),
  schema: ({ image }) => z.strictObject({
    name: z.string(),
    role: words,
    clinics: z.array(reference("clinics")).min(1),
    treatments: z.array(reference("treatments")).optional(),
    speaks: z.array(z.enum(["ar", "de", "en", "es", "zh"])).optional(),
    portrait: image().optional(),
  }),
});
const jobs = defineCollection({
  loader: folder("jobs"),
  schema: z.strictObject({
    title: words,
    text: words,
    posted: z.coerce.date(),
    closes: z.coerce.date(),
    clinic: reference("clinics"),
    salary: amount.optional(),
  }),
});
const events = defineCollection({
  loader: folder("events"),
  schema: z.strictObject({ title: words, text: words, date: z.coerce.date(), clinic: reference("clinics") }),
});

export const collections = { treatments, clinics, team, jobs, events };
