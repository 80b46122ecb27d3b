import { isObject } from '../../../supabase/functions/_shared/payloadFields.ts'
import { ExportError } from './ExportError.ts'

/** What the person who imports has decided. */
export interface ImportChoices {
  /** The profiles of members of the workspace, by the keys of people: their messages become the member's. */
  people?: Record<string, string>
  /** By the keys of channels. */
  channels?: Record<string, ChannelChoice>
}

export interface ChannelChoice {
  isLeftOut?: boolean
  name?: string
  /** Of a channel that is no conversation. */
  kind?: 'public' | 'private'
}

const maxChoices = 250_000
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Checks choices that come from a file or a request. Throws ExportError. */
export function parseChoices(value: unknown): ImportChoices {
  if (!isObject(value)) throw new ExportError('The choices must be a JSON object.')
  const unknown = Object.keys(value).find((key) => key !== 'people' && key !== 'channels')
  if (unknown !== undefined) throw new ExportError(`The choices have the unknown field "${unknown}".`)
  const people = entriesOf(value['people'], 'people').map(([key, member]): [string, string] => {
    if (typeof member !== 'string' || !uuid.test(member))
      throw new ExportError(`The choice for the person "${key}" must be the id of a profile.`)
    return [key, member]
  })
  const channels = entriesOf(value['channels'], 'channels').map(([key, choice]): [string, ChannelChoice] => [
    key,
    parseChannel(key, choice),
  ])
  return { people: Object.fromEntries(people), channels: Object.fromEntries(channels) }
}

function entriesOf(value: unknown, name: string): [string, unknown][] {
  if (value === undefined) return []
  if (!isObject(value)) throw new ExportError(`The choices for ${name} must be a JSON object.`)
  const entries = Object.entries(value)
  if (entries.length > maxChoices) throw new ExportError(`There are more than ${maxChoices} choices.`)
  return entries
}

function parseChannel(key: string, choice: unknown): ChannelChoice {
  const refuse = (): never => {
    throw new ExportError(
      `The choice for the channel "${key}" can have "isLeftOut", which is true or false, "name", and "kind", which is "public" or "private".`,
    )
  }
  if (!isObject(choice)) return refuse()
  const { isLeftOut, name, kind, ...others } = choice
  if (
    Object.keys(others).length > 0 ||
    (isLeftOut !== undefined && typeof isLeftOut !== 'boolean') ||
    (name !== undefined && typeof name !== 'string') ||
    (kind !== undefined && kind !== 'public' && kind !== 'private')
  )
    return refuse()
  return {
    ...(isLeftOut === undefined ? {} : { isLeftOut }),
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
  }
}
