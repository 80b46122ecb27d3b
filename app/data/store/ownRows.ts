import type { Section, ChannelState } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'

/** A change of a section. All fields create one; `deleted` deletes it. */
export type SectionChange = Omit<Section, 'id'> & { deleted: true }

/** Applies changes to the sections. */
export function withSectionChanges(
  sections: readonly Section[],
  changes: ReadonlyMap<Uuid, Partial<SectionChange>>,
): readonly Section[] {
  if (changes.size === 0) return sections
  const all = new Map(sections.map((section) => [section.id, section]))
  for (const [id, { deleted, ...change }] of changes) {
    const section = { id, name: '', position: 0, collapsed: false, ...all.get(id), ...change }
    if (deleted || !section.name) all.delete(id)
    else all.set(id, section)
  }
  return [...all.values()].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

/** Own settings of a channel without invariants: updated directly under a policy. */
export type Preferences = Pick<ChannelState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>
