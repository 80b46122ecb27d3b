import type { Wrong } from './actor.ts'
import type { LawHome } from './home/home.ts'
import { shrink } from './shrink.ts'
import { SETTLE, tellStory } from './story.ts'
import type { Divergence, Step, Story } from './story.ts'

/** The shortest story found within `seconds` that diverges still, comparing once, at its end. */
export async function minimalStory(
  home: LawHome,
  story: Story,
  found: Divergence,
  options: { wrong: Wrong; seconds: number },
): Promise<Story> {
  const until = performance.now() + options.seconds * 1_000
  const within = (steps: readonly Step[]): Story => ({ ...story, steps: [...steps, SETTLE] })
  const shows = async (steps: readonly Step[]) =>
    (await tellStory(home, within(steps), { wrong: options.wrong })) !== null
  const before = story.steps.slice(0, found.at)
  const bare = before.filter((step) => step.deed !== 'settle')
  const steps = await shrink((await shows(bare)) ? bare : before, {
    shows,
    kindOf: (step) => step.deed,
    plainer: (step) => (step.deed === 'way' ? { ...step, deed: 'arrives' } : null),
    until,
  })
  return within(steps)
}
