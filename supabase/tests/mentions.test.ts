import { array, assert, constantFrom, property } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mentionsOf } from '../../wire/body/mentionsOf.ts'
import { nodesOf } from '../../wire/body/nodesOf.ts'
import { parseBody } from '../../wire/body/parseBody.ts'
import { FRAGMENTS } from '../../wire/body/testing/adversarialText.ts'
import { openFixture, type Fixture } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

const TEXTS = 10_000
const ID = '0f0e8a52-9d1c-4c1e-8a51-111111111111'
const MENTIONS = [
  `<@${ID}>`,
  `<@&${ID}>`,
  `<#${ID}>`,
  '<!channel>',
  '<!here>',
  `\\<@${ID}>`,
  '\\',
  '<!everyone>',
]

/** The mentions that the page displays. */
function displayed(body: string): string[] {
  const found = new Set<string>()
  for (const node of nodesOf(parseBody(body)))
    for (const one of node.type === 'code' || node.type === 'codeBlock' ? node.children : [node])
      if (one.type === 'mention' && one.who !== 'me') found.add(one.who)
  return [...found].sort()
}

describe.each(testDatabases)('mentions on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  it('are the same for the database and for the page, in any text', async () => {
    const bodies: string[] = []
    const parts = array(constantFrom(...FRAGMENTS, ...MENTIONS, ...MENTIONS, ...MENTIONS), { maxLength: 20 })
    assert(
      property(parts, (texts) => void bodies.push(texts.join(''))),
      { numRuns: TEXTS },
    )
    const rows = await fixture.service((s) =>
      s.rows<{ marks: string[] }>(
        'select app.mention_marks(t.body) as marks from unnest($1::text[]) with ordinality t (body, n) order by n',
        [bodies],
      ),
    )
    for (const [at, body] of bodies.entries()) {
      const stored = rows[at]!.marks.map((mark) => mark.replaceAll(/^<[@!]?|>$/g, '')).sort()
      expect({ body, mentions: displayed(body) }).toEqual({ body, mentions: stored })
      expect({ body, mentions: mentionsOf(body).sort() }).toEqual({ body, mentions: stored })
    }
  })
})
