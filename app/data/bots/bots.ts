import { i18n } from '@lingui/core'
import type {
  Bot,
  BotToken,
  IncomingWebhook,
  IncomingWebhookToken,
  OutgoingWebhook,
} from '../../../wire/bots.ts'
import type { BotCommand } from '../../../wire/botCommands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { loadSettings } from '../client/settings.ts'
import { runQuery } from '../client/runQuery.ts'
import { registerSentences, success, withoutValue, type Outcome } from '../failures/failures.ts'
import '../failures/profileFailures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

registerSentences({
  bad_command: () =>
    i18n._(
      'Enter a description and a name. The name begins with a letter and has only a–z, 0–9, hyphens and underscores.',
    ),
  bad_command_url: () => i18n._('Enter an https address of a public server.'),
  command_taken: () => i18n._('A command with this name already exists. Choose another.'),
  bad_expiry: () => i18n._('A token can be valid for 1 to 366 days.'),
  bad_webhook: () => i18n._('Enter an https address of a public server, and up to 10 words without spaces.'),
  bot_in_other_channels: () =>
    i18n._(
      'This bot is in channels that you can’t read. Only someone who can read all of them can create a token.',
    ),
  bot_not_in_channel: () => i18n._('The bot isn’t in this channel. Add it to the channel first.'),
  bots_description_length: () => i18n._('Descriptions of bots can be up to 250 characters.'),
  incoming_webhooks_name_length: () => i18n._('Names of webhooks can be up to 80 characters.'),
  too_many_bots: () => i18n._('A workspace can have up to 100 bots. Deactivate one that’s no longer used.'),
  too_many_commands: () => i18n._('A bot can have up to 20 commands. Delete one that’s no longer used.'),
  too_many_webhooks: () => i18n._('A bot can have up to 20 webhooks. Delete one that’s no longer used.'),
})

/** The active bots of the workspace. For owners and admins. An event announces changes of the number of `unmanaged`. */
export const botList = createQuery({
  events: ['integrations'],
  fetch: async () => {
    const outcome = await callForWorkspace('list_bots', {})
    return outcome.ok ? success(outcome.value.bots) : outcome
  },
})

/** The webhooks of a bot in channels that the user can read. */
export const webhookList = createQuery({ fetch: (bot: Uuid) => callCommand('list_webhooks', { bot }) })

/** The commands of a bot. */
export const botCommandList = createQuery({
  fetch: async (bot: Uuid) => {
    const outcome = await callCommand('list_bot_commands', { bot })
    return outcome.ok ? success(outcome.value.commands) : outcome
  },
})

/** Creates a bot. The caller chooses the `id`, so that a repeated call creates one bot. */
export async function createBot(bot: {
  id: Uuid
  name: string
  description: string
  channels: Uuid[]
}): Promise<Outcome<Bot>> {
  return refetchAfter(await callForWorkspace('create_bot', bot), botList)
}

export async function updateBot(
  bot: Uuid,
  change: { name: string; description: string },
): Promise<Outcome<Bot>> {
  return refetchAfter(await callCommand('update_bot', { bot, ...change }), botList, botDetails)
}

/** Sets the channels of a bot. Of the channels that the user can read, the bot is then in exactly `channels`. */
export async function setBotChannels(bot: Uuid, channels: Uuid[]): Promise<Outcome<Bot>> {
  return refetchAfter(await callCommand('set_bot_channels', { bot, channels }), botList, webhookList)
}

/**
 * Creates a token that is valid for `days`. An earlier token becomes invalid. Only this response contains the token.
 */
export async function createBotToken(bot: Uuid, days: number): Promise<Outcome<BotToken>> {
  return refetchAfter(await callCommand('create_bot_token', { bot, days }), botList)
}

export async function endBotToken(bot: Uuid): Promise<Outcome<Bot>> {
  return refetchAfter(await callCommand('end_bot_token', { bot }), botList)
}

/** Deletes a bot with its tokens, webhooks and commands. Its messages stay. */
export async function endBot(bot: Uuid): Promise<Outcome> {
  // Its own lists, which may still be displayed, do not exist any more.
  return withoutValue(refetchAfter(await callCommand('end_bot', { bot }), botList))
}

/**
 * Creates a webhook that sends messages of a channel to an address. Only this response contains the secret that signs
 * them.
 */
export async function createOutgoingWebhook(
  bot: Uuid,
  channel: Uuid,
  url: string,
  words: string[],
): Promise<Outcome<{ webhook: OutgoingWebhook; secret: string }>> {
  return refetchAfter(await callCommand('create_outgoing_webhook', { bot, channel, url, words }), webhookList)
}

export async function enableOutgoingWebhook(webhook: Uuid): Promise<Outcome<OutgoingWebhook>> {
  return refetchAfter(await callCommand('enable_outgoing_webhook', { webhook }), webhookList)
}

/** Gives a webhook a new secret, which only this response contains, and enables it. The server no longer signs with the old secret. */
export async function renewOutgoingWebhook(
  webhook: Uuid,
): Promise<Outcome<{ webhook: OutgoingWebhook; secret: string }>> {
  return refetchAfter(await callCommand('renew_outgoing_webhook', { webhook }), webhookList)
}

/** Makes the user responsible for a webhook that a former admin has created. Its address stays. */
export async function keepOutgoingWebhook(webhook: Uuid): Promise<Outcome<OutgoingWebhook>> {
  return refetchAfter(await callCommand('keep_outgoing_webhook', { webhook }), webhookList)
}

export async function deleteOutgoingWebhook(webhook: Uuid): Promise<Outcome> {
  return withoutValue(refetchAfter(await callCommand('delete_outgoing_webhook', { webhook }), webhookList))
}

/** A webhook with its address, which only this response contains. */
export interface WebhookAddress {
  id: Uuid
  url: string
}

async function withAddress(outcome: Outcome<IncomingWebhookToken>): Promise<Outcome<WebhookAddress>> {
  if (!outcome.ok) return outcome
  const { url } = await loadSettings()
  const { token, webhook } = outcome.value
  return success({ id: webhook.id, url: `${url}/functions/v1/incoming-webhook/${token}` })
}

/** Creates a webhook that posts into a channel of the bot. */
export async function createIncomingWebhook(bot: Uuid, channel: Uuid): Promise<Outcome<WebhookAddress>> {
  return withAddress(
    refetchAfter(await callCommand('create_incoming_webhook', { bot, channel }), webhookList),
  )
}

/** What people choose at a webhook. */
export type WebhookProperties = Pick<IncomingWebhook, 'name' | 'emoji' | 'notifies_everyone'>

export async function updateIncomingWebhook(
  webhook: Uuid,
  properties: WebhookProperties,
): Promise<Outcome<IncomingWebhook>> {
  return refetchAfter(await callCommand('update_incoming_webhook', { webhook, ...properties }), webhookList)
}

/** Gives a webhook a new address. The former address stops working. */
export async function renewIncomingWebhook(webhook: Uuid): Promise<Outcome<WebhookAddress>> {
  return withAddress(refetchAfter(await callCommand('renew_incoming_webhook', { webhook }), webhookList))
}

export async function deleteIncomingWebhook(webhook: Uuid): Promise<Outcome> {
  return withoutValue(refetchAfter(await callCommand('delete_incoming_webhook', { webhook }), webhookList))
}

/**
 * The properties of a command that the bot's managers choose. `url` null: the bot receives invocations by realtime.
 */
export type CommandProperties = Pick<BotCommand, 'name' | 'description' | 'hint' | 'url'>

/** Creates a command. Only the response for the first command of a bot contains the secret that signs requests. */
export async function createBotCommand(
  bot: Uuid,
  properties: CommandProperties,
): Promise<Outcome<{ command: BotCommand; secret: string | null }>> {
  return refetchAfter(await callCommand('create_bot_command', { bot, ...properties }), botCommandList)
}

export async function updateBotCommand(
  command: Uuid,
  properties: CommandProperties & { enabled: boolean },
): Promise<Outcome<BotCommand>> {
  return refetchAfter(await callCommand('update_bot_command', { command, ...properties }), botCommandList)
}

/** Makes the user responsible for a command that a former admin has created. Its address stays. */
export async function keepBotCommand(command: Uuid): Promise<Outcome<BotCommand>> {
  return refetchAfter(await callCommand('keep_bot_command', { command }), botCommandList)
}

export async function deleteBotCommand(command: Uuid): Promise<Outcome> {
  return withoutValue(refetchAfter(await callCommand('delete_bot_command', { command }), botCommandList))
}

/** Gives a bot a new secret, which replaces the former one. */
export async function renewCommandSecret(bot: Uuid): Promise<Outcome<{ secret: string }>> {
  return refetchAfter(await callCommand('renew_command_secret', { bot }), botCommandList)
}

interface BotDetails {
  description: string
  responsible_id: Uuid | null
}

/** The details of a bot that members see; null if the bot is not visible to the user. */
export const botDetails = createQuery({
  fetch: (bot: Uuid) =>
    runQuery<BotDetails | null>((client) =>
      client
        .from('bots')
        .select('description, responsible_id')
        .eq('profile_id', bot)
        .maybeSingle<BotDetails>(),
    ),
})
