import type { Section, Uuid } from '../../../wire/linnet.ts'
import { hub } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { createWishes } from './wishes.ts'
import type { Wishes } from './wishes.ts'

/** A section as it is wished for; `gone` asks for its end. */
export type SectionWish = Omit<Section, 'id'> & { gone: true }

const kept = new WeakMap<Running, Wishes<SectionWish>>()

/** The sections that are wished for, by id, of who is signed in. */
export function ownSections(now: Running): Wishes<SectionWish> {
  const wishes = kept.get(now) ?? createWishes<SectionWish>(hub.tell)
  kept.set(now, wishes)
  return wishes
}

/** The sections as they will be once what is wished for is kept. */
export function withSectionWishes(
  sections: readonly Section[],
  wishes: ReadonlyMap<Uuid, Partial<SectionWish>>,
): readonly Section[] {
  if (wishes.size === 0) return sections
  const all = new Map(sections.map((section) => [section.id, section]))
  for (const [id, wish] of wishes) {
    const section = { id, name: '', position: 0, collapsed: false, ...all.get(id), ...wish }
    if (wish.gone || !section.name) all.delete(id)
    else all.set(id, section)
  }
  return [...all.values()].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}
