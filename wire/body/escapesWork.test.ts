import { expect, test, vi } from 'vitest'
import { keepNecessaryEscapes } from './escapes.ts'
import type * as parser from './parseBody.ts'

const work = vi.hoisted(() => ({ characters: 0 }))

vi.mock('./parseBody.ts', async (importOriginal) => {
  const original = await importOriginal<typeof parser>()
  return {
    ...original,
    parseBody: (body: string) => {
      work.characters += body.length
      return original.parseBody(body)
    },
  }
})

function charactersParsed(markdown: string): number {
  work.characters = 0
  keepNecessaryEscapes(markdown)
  return work.characters
}

test.each(['a\\_b ', '\\*a\\* ', '\\[a\\](b) ', '\\# a\n\n', '\\- a\n', '\\| a \\|\n\\|-\\|\n\n', '\\`'])(
  'twice as many escapes of %j need about twice the work',
  (unit) => {
    const once = charactersParsed(unit.repeat(5_000))
    const twice = charactersParsed(unit.repeat(10_000))
    expect(once).toBeGreaterThan(0)
    expect(twice).toBeLessThanOrEqual(2.5 * once)
    // At most ten rounds, and the first reading.
    expect(twice).toBeLessThanOrEqual(11 * 2 * unit.length * 10_000)
  },
)
