import { i18n } from '@lingui/core'
import { outdatedClient, registerSentences } from './failures.ts'

const channelName = () => i18n._('Channel names can be 1 to 80 characters long.')

/** Errors of creating and changing channels; loaded with these. */
registerSentences({
  bad_name: channelName,
  direct_too_many: () => i18n._('Group conversations can have up to 12 people. For more, create a channel.'),
  channels_name_unique: () => i18n._('That name is taken. Choose another.'),
  channels_name_length: channelName,
  channels_topic_length: () => i18n._('Topics can be up to 250 characters.'),
  channels_description_length: () => i18n._('Descriptions can be up to 1,000 characters.'),
  channels_direct_stay_direct: () => i18n._('Direct messages can’t be turned into channels.'),
  mention_everyone_not_allowed: () =>
    i18n._('Only admins can notify everyone here. Remove @channel and @here.'),
  channel_not_public: () => i18n._('Only public channels can be on the web. Make the channel public first.'),
  other_channel_name: () => i18n._('That isn’t the name of the channel. Check the spelling.'),
  too_many_channels_created: () =>
    i18n._('You’ve reached the limit of channels or group conversations that one person can create.'),
  too_many_people: () => i18n._('You can add up to 1,000 people at once.'),
  channels_kind_known: outdatedClient,
  channels_posting_known: outdatedClient,
  channel_members_role_known: outdatedClient,
})
