import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Wrong } from './actor.ts'
import { openLawHome } from './home/home.ts'
import type { LawHome } from './home/home.ts'
import { minimalStory } from './minimalStory.ts'
import { storyOf, tellStory } from './story.ts'
import type { Divergence, Story } from './story.ts'
import { WRONGS } from './wrongs.ts'

let home: LawHome

beforeAll(async () => {
  home = await openLawHome(join(import.meta.dirname, '../..'))
})
afterAll(() => home?.stop())

describe('any stale state and the events since are a fresh fetch', () => {
  // Odd seeds: sockets end with rights, as on the embedded home; even ones: with the token, as elsewhere.
  it.each([1, 2])('story %i', { timeout: 240_000 }, async (seed) => {
    expect(await tellStory(home, storyOf(seed, 1_000))).toBeNull()
  })
})

/** The first short story that shows the mistake, and where. */
async function caught(wrong: Wrong, steps: number): Promise<{ story: Story; found: Divergence } | null> {
  for (let seed = 3; seed < 30; seed += 1) {
    const story = storyOf(seed, steps)
    const found = await tellStory(home, story, { wrong })
    if (found) return { story, found }
  }
  return null
}

describe('the law can fail', () => {
  it.each(Object.entries(WRONGS))('where it %s', { timeout: 240_000 }, async (_name, wrong) => {
    expect(await caught(wrong, 250)).not.toBeNull()
  })

  it('with a script of a few lines', { timeout: 240_000 }, async () => {
    const wrong = WRONGS['staysInside']!
    const { story, found } = (await caught(wrong, 120))!
    const short = await minimalStory(home, story, found, { wrong, seconds: 60 })
    expect(short.steps.length).toBeLessThan(10)
    expect(await tellStory(home, short, { wrong })).not.toBeNull()
    expect(await tellStory(home, short)).toBeNull()
  })
})
