// Where sizes and colours may be written. `npm run lint` runs it: it prints each literal outside app/ui that has a token in
// app/ui/tokens.css, each custom property that no file defines, each token that no style uses, and each selector that lets
// the browser compute the style of all elements again.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const TOKENS = 'app/ui/tokens.css'

/** The page of a public channel is built separately and has its own sizes. */
const UNCHECKED_STYLES = 'app/screens/web/web.css'

/** Colour names other than `transparent`, `currentcolor` and the system colours of forced-colors mode. */
const colourNames =
  'black|white|silver|gray|grey|red|maroon|yellow|olive|lime|green|aqua|cyan|teal|blue|navy|fuchsia|magenta|purple|orange|pink|brown|gold'

const colour = new RegExp(
  `#[\\da-f]{3,8}\\b|\\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\\(|(?<![-\\w])(?:${colourNames})(?![-\\w(])`,
  'i',
)

/** The properties whose values are steps of a scale, and the tokens of this scale. */
const scales = [
  { properties: /^font$/, tokens: '--text-…, --line-height-… and --weight-…' },
  { properties: /^font-size$/, tokens: '--text-…' },
  // 1 is the height of a single letter or emoji.
  { properties: /^line-height$/, allowed: '1', tokens: '--line-height-…' },
  { properties: /^font-weight$/, tokens: '--weight-…' },
  { properties: /^border(-\w+)*-radius$/, tokens: '--radius-…' },
  { properties: /^z-index$/, tokens: '--layer-…' },
  { properties: /^outline(-offset|-width)?$/, tokens: '--focus-…' },
  { properties: /^(padding|margin|gap|row-gap|column-gap)\b/, tokens: '--space-…' },
  { properties: /^(border|box-shadow)\b/, tokens: '--hairline or --stroke' },
]

/** A value without its custom properties and their fallbacks, functions of lengths and factors of `calc()`. */
function literalsOf(/** @type {string} */ value) {
  return value
    .replace(/var\([^()]*\)/g, '')
    .replace(/-?[\d.]+ \* | \* -?[\d.]+| \/ [\d.]+\)/g, '')
    .replace(/\b(?:0|100%)(?![\w.])/g, '')
}

/** The declarations of a style sheet, with their lines. */
function declarationsOf(/** @type {string} */ text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/(?<=[{;]\s*)([\w-]+):\s*([^;{}]+)(?=[;}])/g)].map(
    ({ 1: property = '', 2: value = '', index }) => ({
      property,
      value: value.replace(/\s+/g, ' ').trim(),
      line: code.slice(0, index).split('\n').length,
    }),
  )
}

/**
 * The literals of a style sheet that belong in the table of tokens.
 * @returns {string[]} one sentence for each
 */
export function findLiterals(/** @type {string} */ path, /** @type {string} */ text) {
  const problems = []
  for (const { property, value, line } of declarationsOf(text)) {
    const at = `${path}:${line} ${property}: ${value}`
    const literals = literalsOf(value)
    const scale = scales.find(({ properties }) => properties.test(property))
    if (/(?<![\w.])(?!0px)[\d.]+px\b/.test(value))
      problems.push(`${at} names pixels: use a token, or rem for a size of this component`)
    else if (property !== 'content' && colour.test(literals))
      problems.push(`${at} names a colour: use a token`)
    else if (scale && value !== scale.allowed && /(?<![\w.-])-?[\d.]+(rem|(?![\w%.]))/.test(literals))
      problems.push(`${at} is no step of the scale: use ${scale.tokens}`)
  }
  for (const { 0: condition, index } of text.matchAll(/@(?:media|container)[^{]*?[\d.]+px[^{]*/g))
    problems.push(
      `${path}:${text.slice(0, index).split('\n').length} ${condition.trim()} names pixels: use em`,
    )
  return problems
}

/** The text without the arguments of its pseudo-classes, which may be nested. */
function withoutArguments(/** @type {string} */ selector) {
  let [before, after] = [selector, selector.replace(/\([^()]*\)/g, '')]
  while (after !== before) [before, after] = [after, after.replace(/\([^()]*\)/g, '')]
  return after
}

/**
 * The selectors with `:has()` that select any element below the element with this pseudo-class. All rules with `:has()` share
 * one invalidation: with such a selector, a change of any text computes the style of the whole page again.
 * @returns {string[]} one sentence for each
 */
export function findBroadSelectors(/** @type {string} */ path, /** @type {string} */ text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/[^{};]*:has\([^{};]*(?=\{)/g)].flatMap(({ 0: list, index }) =>
    withoutArguments(list)
      .split(',')
      .filter((selector) => {
        const [subject = '', ...others] = selector
          .trim()
          .split(/[\s>+~]+/)
          .reverse()
        return (
          others.some((one) => one.includes(':has')) && !/[\w.#[]/.test(subject.replace(/::?[\w-]+/g, ''))
        )
      })
      .map(() => {
        const line = code.slice(0, index + list.length - list.trimStart().length).split('\n').length
        return `${path}:${line} ${list.trim()} selects any element below one with :has(): name the class of this element`
      }),
  )
}

/**
 * Checks style sheets, and the custom properties that they and the components use.
 * @param {Map<string, string>} files the text of each file by its path from the root
 * @returns {string[]} one sentence for each problem
 */
export function checkStyles(files) {
  const problems = []
  const styles = [...files].filter(([path]) => path.endsWith('.css'))
  for (const [path, text] of styles) {
    if (!path.startsWith('app/ui/') && path !== UNCHECKED_STYLES) problems.push(...findLiterals(path, text))
    problems.push(...findBroadSelectors(path, text))
  }
  const defined = new Set()
  const used = new Set()
  for (const [, text] of files) {
    for (const [, name] of text.matchAll(/(?<![\w-])(--[\w-]+)['"]?(?=:|'\s*\]|'\s*,)/g)) defined.add(name)
    for (const [, name] of text.matchAll(/var\((--[\w-]+)/g)) used.add(name)
  }
  for (const [path, text] of styles) {
    for (const [, name] of text.matchAll(/var\((--[\w-]+)\)/g)) {
      if (!defined.has(name)) problems.push(`${path} uses ${name}, which no file defines`)
    }
  }
  for (const { property } of declarationsOf(files.get(TOKENS) ?? '')) {
    if (property.startsWith('--') && !used.has(property))
      problems.push(`${TOKENS} defines ${property}, which no style uses`)
  }
  return [...new Set(problems)]
}

/** All style sheets and components of the app that git knows or that are new, by path. */
function readApp() {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'app'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n')
  return new Map(
    names
      .filter((name) => /\.(css|tsx?)$/.test(name) && existsSync(join(root, name)))
      .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkStyles(readApp())
  for (const problem of problems) console.log(problem)
  console.log(problems.length === 0 ? 'All styles use the tokens.' : `${problems.length} problems in styles.`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
