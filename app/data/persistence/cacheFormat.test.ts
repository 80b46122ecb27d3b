import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Section } from '../../../wire/channels.ts'
import type { Reaction } from '../../../wire/messages.ts'
import { buildBootstrap, buildChannelEntry, buildMessage, buildThread } from '../store/buildRows.fixture.ts'
import { file, ownRows } from '../store/ownRows.fixture.ts'
import { CACHE_FORMAT } from './database.ts'

const reaction: Required<Reaction> = { emoji: '👍', count: 1, people: [], mine: true }
const section: Section = { id: 's', name: '', position: 1, collapsed: false, rev: 1 }

/** The paths of all fields of a value; the items of a list have the path of the list. */
function fieldsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, path))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`))
}

it('rows that a build without a field has stored are not displayed', () => {
  const stored = {
    message: buildMessage(1, { attachments: [file], reactions: [reaction] }),
    entry: buildChannelEntry(),
    thread: buildThread(),
    member: buildBootstrap([]).members[0],
    section,
    ...ownRows,
  }
  const fields = [...new Set(fieldsOf(stored, 'stored'))].toSorted()
  const digest = createHash('sha256').update(fields.join()).digest('hex').slice(0, 8)
  // The server sends only rows that have changed, and a new field changes none: a browser would display the stored rows
  // without it. Raise CACHE_FORMAT with each new field, and update both values.
  expect({ format: CACHE_FORMAT, digest }).toEqual({ format: 4, digest: '5d6ee97f' })
})
