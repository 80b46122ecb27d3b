import { i18n } from '@lingui/core'

const steps: Readonly<Record<string, () => string[]>> = {
  slack: () => [
    i18n._('In Slack, open “Import/Export Data” as an owner of the workspace, and choose “Export”.'),
    i18n._('Export the entire history. Private channels and direct messages need a paid plan of Slack.'),
    i18n._('Download the ZIP file from Slack’s email, and upload it here as it is.'),
  ],
  mattermost: () => [
    i18n._('On the server of Mattermost, run {command}.', {
      command: 'mmctl export create',
    }),
    i18n._('When the export is complete, {command} shows the name of its file.', {
      command: 'mmctl export list',
    }),
    i18n._('Download the file with {command}, and upload it here as it is.', {
      command: 'mmctl export download NAME',
    }),
  ],
  discord: () => [
    i18n._(
      'Export the channels with DiscordChatExporter. Choose the format JSON, threads and the download of assets.',
    ),
    i18n._('Pack the folder into one ZIP file, and upload it here.'),
  ],
  zulip: () => [
    i18n._(
      'In Zulip, open “Organization settings” → “Data exports” as an administrator, and start an export.',
    ),
    i18n._(
      'Choose private data too if you need it. Zulip exports private messages only of people who allow it in their own settings.',
    ),
    i18n._('Download the file, and upload it here as it is.'),
  ],
}

/** How an owner gets the export of a product. */
export const exportSteps = (product: string): string[] => steps[product]?.() ?? []
