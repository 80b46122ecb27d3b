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
    deed: (doing) => {
      const { tab, chance, channel } = doing
      const on = chance.happens(0.5)
      tab.write(
        'starred',
        'update public.channel_state set starred = $1, muted = not $1 where channel_id = $2 and profile_id = $3',
        [on, channel, tab.me()],
      )
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
}
