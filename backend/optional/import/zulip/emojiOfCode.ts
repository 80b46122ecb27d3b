import groups from '../../../../wire/emojiNames/en.generated.ts'

const SELECTOR = /\uFE0F/g

let known: ReadonlyMap<string, string> | null = null

/**
 * The standard emoji with the code points that Zulip stores, such as `1f1e9-1f1ea`. Zulip leaves out the selectors of emoji, which
 * Linnet has. Null for another code.
 */
export function emojiOfCode(code: string): string | null {
  if (!/^[\da-f]{2,6}(?:-[\da-f]{2,6}){0,15}$/i.test(code)) return null
  const points = code.split('-').map((point) => Number.parseInt(point, 16))
  if (points.some((point) => point > 0x10_ff_ff || (point >= 0xd8_00 && point <= 0xdf_ff))) return null
  known ??= new Map(
    groups.flatMap((group) =>
      group.split('\n').map((line): [string, string] => {
        const emoji = line.split('\t')[0]!
        return [emoji.replaceAll(SELECTOR, ''), emoji]
      }),
    ),
  )
  return known.get(String.fromCodePoint(...points).replaceAll(SELECTOR, '')) ?? null
}
