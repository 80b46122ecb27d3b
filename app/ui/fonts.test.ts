import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

/** The code points of the font face `Emoji`, as pairs of first and last. */
function emojiRanges(): [number, number][] {
  const [, face] = /font-family: 'Emoji';([^}]*)/.exec(read('fonts.css')) ?? []
  return [...(face ?? '').matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)].map(([, first, last]) => [
    Number.parseInt(first!, 16),
    Number.parseInt(last ?? first!, 16),
  ])
}

test('the emoji font precedes every system text font that may have monochrome emoji', () => {
  const text = new Set(['system-ui', 'sans-serif', "'DejaVu Sans Mono'", 'monospace'])
  for (const [, stack] of read('tokens.css').matchAll(/--(?:sans|mono): ([^;]*);/g)) {
    const fonts = stack!.split(/,\s*/)
    expect(fonts.indexOf("'Emoji'")).toBeGreaterThan(0)
    expect(fonts.indexOf("'Emoji'")).toBeLessThan(fonts.findIndex((font) => text.has(font)))
  }
})

test('the emoji font covers characters with emoji presentation, no digits and no plain symbols', () => {
  const ranges = emojiRanges()
  const isInRange = (code: number) => ranges.some(([first, last]) => code >= first && code <= last)
  const missing: string[] = []
  const tooMany: string[] = []
  for (let code = 0; code < 0x1fb00; code += 1) {
    const character = String.fromCodePoint(code)
    if (/\p{Emoji_Presentation}/u.test(character)) {
      if (!isInRange(code)) missing.push(character)
    } else if (code < 0x1f000 && code !== 0xfe0f && isInRange(code)) tooMany.push(code.toString(16))
  }
  expect(missing).toEqual([])
  expect(tooMany).toEqual([])
})

test("font sizes follow the browser's setting", () => {
  const app = join(import.meta.dirname, '..')
  // Initials fill their avatar, which has a fixed size.
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.css') && !file.endsWith('avatar/Avatar.module.css'),
  )
  expect(files.length).toBeGreaterThan(50)
  const pixels = files.filter((file) =>
    /^\s*(?:font-size|line-height|font):[^;(]*\dpx/m.test(readFileSync(join(app, file), 'utf8')),
  )
  expect(pixels).toEqual([])
})
