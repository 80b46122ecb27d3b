import { reactionKey } from '../reactionKey.ts'

/** In the order of the numbers that Slack gives them, from 2. */
const tones = ['light', 'medium_light', 'medium', 'medium_dark', 'dark']
const tonePattern = new RegExp(`^(.+?)_(${tones.join('|')})_skin_tone$`)

/** The key of a reaction with Mattermost's name, such as `wave_dark_skin_tone`; null if it can't be one. */
export function emojiKey(name: string): string | null {
  const [, base, tone] = tonePattern.exec(name) ?? []
  const toned = base === undefined ? null : reactionKey(`${base}::skin-tone-${tones.indexOf(tone!) + 2}`)
  return toned === null || toned.startsWith(':') ? reactionKey(name) : toned
}
