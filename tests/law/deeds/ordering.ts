import { nameOf } from './doing.ts'
import type { Deeds } from './doing.ts'

/** What is done with channels themselves, and with one's own list of them. */
export const ordering: Deeds = {
  'sets a topic': {
    often: 2,
    deed: (doing) => {
      const topic = `topic ${doing.chance.below(100)}`
      doing.tab.change('update_channel', { channel: doing.channel, topic })
      return `${doing.tab.label} sets the topic of ${nameOf(doing)} to “${topic}”`
    },
  },
  renames: {
    often: 1,
    deed: (doing) => {
      const name = `name ${doing.chance.below(5)}`
      doing.tab.change('update_channel', { channel: doing.channel, name })
      return `${doing.tab.label} renames ${nameOf(doing)} to “${name}”`
    },
  },
  'sets who may post': {
    often: 1,
    deed: (doing) => {
      const posting = doing.chance.happens(0.7) ? 'everyone' : 'admins'
      doing.tab.change('update_channel', { channel: doing.channel, posting })
      return `${doing.tab.label} lets ${posting} post in ${nameOf(doing)}`
    },
  },
  stars: {
    often: 2,
    deed: async (doing) => {
      const { tab, chance, channel } = doing
      const on = chance.happens(0.5)
      const change = { starred: on, muted: !on }
      await tab.outbox.put({ kind: 'preferences', id: chance.uuid(), channel, change })
      return `${tab.label} ${on ? 'stars' : 'mutes'} ${nameOf(doing)}`
    },
  },
  'changes the own card': {
    often: 1,
    deed: ({ tab, chance }) => {
      const text = `status ${chance.below(100)}`
      tab.write('status', 'update public.profiles set status_text = $1 where id = $2', [text, tab.me()])
      return `${tab.label} says of themselves “${text}”`
    },
  },
  'shows or hides a channel': {
    often: 1.5,
    deed: (doing) => {
      const { tab, chance, channel } = doing
      const kind = chance.happens(0.5) ? 'public' : 'private'
      tab.change('update_channel', { channel, kind })
      return `${tab.label} makes ${nameOf(doing)} ${kind}`
    },
  },
  'describes a channel': {
    often: 0.5,
    deed: (doing) => {
      const description = `for ${doing.chance.below(100)}`
      doing.tab.change('update_channel', { channel: doing.channel, description })
      return `${doing.tab.label} describes ${nameOf(doing)} as “${description}”`
    },
  },
  archives: {
    often: 1.5,
    deed: (doing) => {
      const { tab, chance, channel, rows } = doing
      // Rather back than away, or soon nothing more could be said anywhere.
      const on = rows?.entry.channel.archived_at === null ? chance.happens(0.4) : false
      tab.change('archive_channel', { channel, on })
      return `${tab.label} ${on ? 'archives' : 'brings back'} ${nameOf(doing)}`
    },
  },
  'makes a channel': {
    often: 0.5,
    deed: ({ scene, tab, chance }) => {
      const kind = chance.happens(0.5) ? 'public' : 'private'
      const name = `made ${chance.below(10_000)}`
      const { workspace } = scene.home
      tab.change('create_channel', { id: chance.uuid(), workspace, kind, name, posting: 'everyone' })
      return `${tab.label} makes the ${kind} channel “${name}”`
    },
  },
  'makes a section': {
    often: 1,
    deed: ({ scene, tab, chance }) => {
      const id = chance.uuid()
      const name = `section ${chance.below(20)}`
      tab.write(
        'a section',
        'insert into public.sections (id, workspace_id, name, position) values ($1, $2, $3, $4) on conflict do nothing',
        [id, scene.home.workspace, name, chance.below(100)],
      )
      return `${tab.label} makes the section “${name}”`
    },
  },
  'changes a section': {
    often: 1.5,
    deed: ({ tab, chance }) => {
      const section = chance.pick(tab.store.get().sections)
      if (!section) return null
      if (chance.happens(0.3)) {
        tab.write('a section less', 'delete from public.sections where id = $1 and profile_id = $2', [
          section.id,
          tab.me(),
        ])
        return `${tab.label} ends the section “${section.name}”`
      }
      const collapsed = chance.happens(0.5)
      tab.write(
        'a section moved',
        'update public.sections set collapsed = $1, position = $2 where id = $3 and profile_id = $4',
        [collapsed, chance.below(100), section.id, tab.me()],
      )
      return `${tab.label} moves the section “${section.name}”`
    },
  },
  'sorts into a section': {
    often: 2,
    deed: (doing) => {
      const { tab, chance, channel } = doing
      const section = chance.happens(0.8) ? chance.pick(tab.store.get().sections) : undefined
      tab.write(
        'sorted',
        'update public.channel_state set section_id = $1, position = $2 where channel_id = $3 and profile_id = $4',
        [section?.id ?? null, chance.below(100), channel, tab.me()],
      )
      return `${tab.label} sorts ${nameOf(doing)} into ${section ? `“${section.name}”` : 'no section'}`
    },
  },
}
