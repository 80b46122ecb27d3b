import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')

/** The values of tokens in the rule of this selector. */
function tokensOf(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`)
  const body = css.slice(start, css.indexOf('\n}', start)).replace(/\/\*[\s\S]*?\*\//g, '')
  return Object.fromEntries(
    [...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
  )
}

/** The relative luminance of an OKLCH colour, by the matrices of CSS Color 4 and the definition of WCAG 2. */
function luminanceOf(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue)
}

/** The contrast of two tokens in the light theme (0) or the dark one (1). */
function contrastOf(tokens: Record<string, string>, theme: 0 | 1, names: [string, string]): number {
  const [a = 0, b = 0] = names.map((name) => {
    const colours = [...(tokens[name] ?? '').matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)]
    const [, lightness, chroma, hue] = colours[theme] ?? colours[0] ?? []
    return luminanceOf(Number(lightness), Number(chroma), Number(hue))
  })
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const standard = tokensOf(':root')
const contrasts = { standard, more: { ...standard, ...tokensOf(":root[data-contrast='more']") } }

const surfaces = ['--paper', '--sidebar-bg', '--raised', '--hover', '--selected']
const text: [string, string][] = [
  ...surfaces.flatMap((surface): [string, string][] => [
    ['--ink', surface],
    ['--text-muted', surface],
    ['--accent', surface],
  ]),
  ...['--accent-bg', '--accent-mark'].flatMap((surface): [string, string][] => [
    ['--ink', surface],
    ['--accent', surface],
  ]),
  ['--text-muted', '--accent-bg'],
  ['--danger', '--paper'],
  ['--danger', '--selected'],
  ['--on-accent', '--accent'],
  ['--on-danger', '--danger'],
  ['--code-string', '--raised'],
  ['--ink', '--highlight'],
]
const shapes: [string, string][] = [
  ['--edge', '--paper'],
  ['--focus-ring', '--paper'],
  ['--focus-ring', '--sidebar-bg'],
  ['--focus-ring', '--selected'],
  ['--focus-ring', '--ink'],
]

describe.each(['standard', 'more'] as const)('with %s contrast', (level) => {
  describe.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('in the %s theme', (_, theme) => {
    // WCAG 2.2, criteria 1.4.3 and 1.4.11.
    it.each(text)('text in %s is readable on %s', (...names) => {
      expect(contrastOf(contrasts[level], theme, names)).toBeGreaterThanOrEqual(4.5)
    })

    it.each(shapes)('%s is visible on %s', (...names) => {
      expect(contrastOf(contrasts[level], theme, names)).toBeGreaterThanOrEqual(3)
    })
  })
})

it('black on white has the contrast 21:1', () => {
  expect(contrastOf(standard, 0, ['--black', '--white'])).toBeCloseTo(21, 1)
})

it('both ways to more contrast have the same colours', () => {
  const start = css.indexOf('@media (prefers-contrast: more)')
  const media = css.slice(start, css.indexOf('\n}', start))
  for (const [name, value] of Object.entries(tokensOf(":root[data-contrast='more']")))
    expect(media).toContain(`${name}: ${value};`)
})
