import { expect, test } from 'vitest'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { isLargeEmoji } from './isLargeEmoji.ts'

test('a message of one to five emoji or their names is large', () => {
  for (const body of ['🎉', '👍🏽 👩‍🚀', '🇩🇪', '1️⃣', '❤️', ':tada:', '🎉 :tada:', '🎉🎉🎉🎉🎉', '👨‍👩‍👧‍👦\u{20}'])
    expect([body, isLargeEmoji(parseBody(body))]).toEqual([body, true])
  for (const body of [
    '',
    'ok 🎉',
    '🎉🎉🎉🎉🎉🎉',
    '1',
    '©',
    '5',
    '🎉\n🎉',
    '- 🎉',
    '🎉.',
    '`🎉`',
    '**🎉**',
    '<!here>',
  ])
    expect([body, isLargeEmoji(parseBody(body))]).toEqual([body, false])
})
