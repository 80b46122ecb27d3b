import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../wire/languages.ts'

const app = join(import.meta.dirname, '..')
const textOf = (path: string): string => readFileSync(join(app, path), 'utf8')
/** Read as files: each import of a source would be transformed, which took nine seconds. */
const paths = readdirSync(app, { recursive: true, encoding: 'utf8' })
const sources = paths.filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\.d\.ts$/.test(path)).map(textOf)

/** Message ids and translations of a `.po` file. */
function entriesOf(po: string): Map<string, string> {
  const entries = new Map<string, string>()
  for (const [, id, translation] of po.matchAll(/^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)/gm))
    entries.set(joined(id ?? ''), joined(translation ?? ''))
  entries.delete('')
  return entries
}

function joined(lines: string): string {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as string)
    .join('')
}

/** The sentences in the code. */
function sentencesInCode(): Set<string> {
  const sentences = new Set<string>()
  for (const source of sources)
    for (const [, quoted] of source.matchAll(/i18n\._\(\s*(?:\{\s*id:\s*)?'((?:[^'\\]|\\.)*)'/g))
      if (quoted) sentences.add(quoted.replaceAll(String.raw`\'`, "'"))
  return sentences
}

/** The placeholders of a sentence. */
function partsOf(sentence: string): string[] {
  return [...new Set([...sentence.matchAll(/\{(\w+)[,}]/g)].map((found) => found[1] ?? ''))].sort()
}

const sentences = sentencesInCode()

/** Throws at the first sentence of the code that a language lacks. */
function expectTexts(language: string): void {
  const path = join('ui', 'locales', `${language}.po`)
  if (!paths.includes(path)) throw new Error(`app/${path} is missing (run: npx lingui extract)`)
  const entries = entriesOf(textOf(path))
  for (const sentence of sentences) {
    const translation = entries.get(sentence)
    expect(translation, `${path}: “${sentence}”`).toBeTruthy()
    expect(partsOf(translation ?? ''), `${path}: ${sentence}`).toEqual(partsOf(sentence))
  }
}

test.each(Object.keys(LANGUAGES))('every sentence in the code has a translation into %s', (language) => {
  expect(sentences.size).toBeGreaterThan(300)
  expectTexts(language)
})

test('a language without a catalog fails with its path', () => {
  expect(() => expectTexts('fr')).toThrow('app/ui/locales/fr.po is missing (run: npx lingui extract)')
})

test('no sentence names a file of the documents, which nobody can open in a browser', () => {
  for (const language of Object.keys(LANGUAGES))
    expect(textOf(join('ui', 'locales', `${language}.po`))).not.toMatch(/\bdocs\//)
})
