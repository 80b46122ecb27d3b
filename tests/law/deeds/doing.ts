import type { ChannelRows } from '../../../app/data/store/state.ts'
import type { Member, Message, Uuid } from '../../../wire/linnet.ts'
import type { Actor } from '../actor.ts'
import type { Chance } from '../random.ts'
import type { Scene } from '../scene.ts'

/** What a deed is done with: a tab, what is in front of it, and a chance of its own. */
export interface Doing {
  scene: Scene
  tab: Actor
  chance: Chance
  /** The conversation in front, or any that is held. */
  channel: Uuid
  rows: ChannelRows | undefined
  /** Texts that are held of it and not deleted. */
  live: Message[]
  people: Member[]
}

/** Does one thing, as far as there is anything to do it to; says what it was, null for nothing. */
type Deed = (doing: Doing) => Promise<string | null> | string | null

/** What can be done, and how often compared with the others. */
export type Deeds = Record<string, { often: number; deed: Deed }>

export function doingOf(scene: Scene, tab: Actor, chance: Chance): Doing {
  const state = tab.store.get()
  const channel = tab.opened?.channel ?? chance.pick([...state.channels.keys()]) ?? scene.home.channels.lobby
  const rows = state.channels.get(channel)
  const texts = rows ? [...rows.messages.values()].filter((one) => one.kind === 'text') : []
  const live = texts.filter((one) => one.deleted_at === null)
  return { scene, tab, chance, channel, rows, live, people: [...state.members.values()] }
}

/** A short name of a channel, for the script. */
export function nameOf({ rows, channel }: Pick<Doing, 'rows' | 'channel'>): string {
  return rows?.entry.channel.name ?? `${rows?.entry.channel.kind ?? 'channel'} ${channel.slice(0, 4)}`
}
