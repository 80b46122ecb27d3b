import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { isChannel } from '../../../../wire/channels.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { addMembers, updateChannel, openDirect } from '../../../data/channels/manageChannels.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { sendMessage } from '../../../data/messages/messages.ts'
import { setPreferences } from '../../../data/sidebar/sidebarCommands.ts'
import { parseDay } from '../../parts/times/localDay.ts'
import { mentionedIds } from '../../parts/body/mentionText.ts'
import type { ComposerContext, SlashCommandResult, SlashCommand } from './SlashCommand.ts'

const DONE: SlashCommandResult = { kind: 'done' }
/** Messages show it as it is written. */
const SHRUG = String.raw`¯\_(ツ)_/¯`
/** Mentions at the beginning of an argument. */
const LEADING_PEOPLE = /^(?:<@[0-9a-f-]{36}>[\s,]*)+/

function resultOf(outcome: Outcome<unknown>): SlashCommandResult {
  return outcome.ok ? DONE : { kind: 'rejected', reason: outcome.failure.message }
}

/** Linnet's own commands, for what this person can do in this composer. */
export function builtInSlashCommands({ channel, threadRoot }: ComposerContext): SlashCommand[] {
  const { permissions, muted } = channel
  const isDirect = !isChannel(channel)
  const person = i18n._('@person')
  const sends: SlashCommand[] = [
    {
      name: 'me',
      hint: i18n._('does something'),
      description: i18n._('Say what you’re doing'),
      run: async ({ argument }) =>
        argument
          ? { kind: 'send', text: `/me ${argument}` }
          : { kind: 'rejected', reason: i18n._('Write what you’re doing after /me.') },
    },
    {
      name: 'shrug',
      hint: i18n._('text'),
      description: i18n._('Add a shrug to your message'),
      run: async ({ argument }) => ({ kind: 'send', text: `${argument} ${SHRUG}`.trim() }),
    },
    {
      name: 'poll',
      hint: i18n._('question'),
      description: i18n._('Start a poll'),
      run: async ({ text, open }) => {
        const poll = { options: ['', ''], multiple: false, anonymous: false, closes_at: null }
        open({ kind: 'create-poll', channelId: channel.id, threadRoot, first: { question: text, poll } })
        return DONE
      },
    },
  ]
  const commands: SlashCommand[] = [
    {
      name: 'msg',
      hint: i18n._('@person text'),
      description: i18n._('Send a direct message'),
      run: messagePeople,
    },
    { name: 'dm', hint: person, description: i18n._('Open a conversation with someone'), run: messagePeople },
    {
      name: 'mute',
      hint: '',
      description: muted ? i18n._('Unmute this conversation') : i18n._('Mute this conversation'),
      run: async () => resultOf(await setPreferences(channel.id, { muted: !muted })),
    },
    {
      name: 'date',
      hint: i18n._('date'),
      description: i18n._('Jump to a date'),
      run: async ({ text, open }) => {
        if (text !== '' && !parseDay(text)) {
          return { kind: 'rejected', reason: i18n._('Write a date after /date, for example 2026-11-03.') }
        }
        open({ kind: 'jump-to-date', channelId: channel.id, ...(text ? { day: text } : {}) })
        return DONE
      },
    },
    {
      name: 'remind',
      hint: i18n._('text'),
      description: i18n._('Remind me later'),
      run: async ({ text, open }) => {
        open({ kind: 'reminder', text })
        return DONE
      },
    },
    {
      name: 'status',
      hint: '',
      description: i18n._('Set a status'),
      run: async ({ open }) => {
        open({ kind: 'status' })
        return DONE
      },
    },
    {
      name: 'shortcuts',
      hint: '',
      description: i18n._('Show the keyboard shortcuts'),
      run: async ({ open }) => {
        open({ kind: 'keys' })
        return DONE
      },
    },
  ]
  if (channel.canPost) commands.push(...sends)
  if (permissions.topic && !isDirect) {
    commands.push({
      name: 'topic',
      hint: i18n._('text'),
      description: i18n._('Set the topic of this channel'),
      run: async ({ text, open }) => {
        if (text === '') {
          open({ kind: 'channel', channelId: channel.id, edit: 'topic' })
          return DONE
        }
        if ([...text].length > LIMITS.topicCharacters) {
          const max = LIMITS.topicCharacters
          return { kind: 'rejected', reason: i18n._('A topic can be up to {max} characters long.', { max }) }
        }
        // A topic is one line.
        return resultOf(await updateChannel(channel.id, { topic: text.replace(/\s*\n\s*/g, ' ') }))
      },
    })
  }
  if (permissions.addPeople || isDirect) {
    commands.push({
      name: 'invite',
      hint: person,
      description: i18n._('Add people to this conversation'),
      run: async ({ argument, open }) => {
        const ids = mentionedIds(argument)
        if (isDirect) open({ kind: 'add-people-to-conversation', channelId: channel.id })
        else if (argument === '') open({ kind: 'channel', channelId: channel.id, tab: 'people' })
        else if (ids.length === 0) {
          return {
            kind: 'rejected',
            reason: i18n._('Nobody here has that name. Type @ and choose a person.'),
          }
        } else return resultOf(await addMembers(channel.id, ids))
        return DONE
      },
    })
  }
  if (permissions.leave) {
    commands.push({
      name: 'leave',
      hint: '',
      description: i18n._('Leave this channel'),
      run: async ({ open }) => {
        open({ kind: 'leave-channel', channelId: channel.id })
        return DONE
      },
    })
  }
  return commands
}

/** Opens the conversation with the people at the beginning of the argument, and sends what follows them. */
const messagePeople: SlashCommand['run'] = async ({ argument, me, navigate }) => {
  const people = LEADING_PEOPLE.exec(argument)?.[0] ?? ''
  const ids = mentionedIds(people).filter((id) => id !== me.profile.id)
  if (people === '') {
    return { kind: 'rejected', reason: i18n._('Nobody here has that name. Type @ and choose a person.') }
  }
  const outcome = await openDirect(ids)
  if (!outcome.ok) return resultOf(outcome)
  const channel = outcome.value.channel.id
  const body = argument.slice(people.length).trim()
  navigate(pathTo('channel', { channelId: channel }))
  return body === '' ? DONE : resultOf(sendMessage({ channel, body, keepsDraft: true }))
}
