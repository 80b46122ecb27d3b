import type { ExportReader, Product } from './ExportReader.ts'

/** How the exports of a product are opened. */
export interface ProductExports {
  label: string
  /** What the file is. */
  help: string
  /** The options of the command line that only this product has. */
  options: Record<string, { value: string; choices?: readonly string[]; help: string }>
  /** Throws ExportError for a file that is no export of the product, and for wrong options. */
  open(path: string, options: Readonly<Record<string, unknown>>): Promise<ExportReader>
}

/** The products whose exports can be imported. */
export const products: Record<Product, ProductExports> = {
  slack: {
    label: 'Slack',
    help: `<file> is the ZIP that Slack exports, or a folder with its content, also one of slackdump.
LINNET_SLACK_TOKEN has the token for --fetch-files if the links of the export contain none.`,
    options: {},
    open: async (path) => (await import('./slack/openSlack.ts')).openSlack(path),
  },
  mattermost: {
    label: 'Mattermost',
    help: `<file> is the ZIP of "mmctl export" or of mmetl, a folder with its content, or only its file of lines.`,
    options: {
      server: {
        value: 'URL',
        help: 'the address of the Mattermost server, for links to its channels, and if you import\nfrom several servers',
      },
    },
    open: async (path, { server }) =>
      (await import('./mattermost/openMattermost.ts')).openMattermost(path, { server }),
  },
  discord: {
    label: 'Discord',
    help: `<file> is a folder or ZIP with the JSON files of DiscordChatExporter, one for each channel and
thread. An export does not name the people who can read a channel. So it becomes a private one
with the people who have written in it; --choices makes it public.`,
    options: {},
    open: async (path) => (await import('./discord/openDiscord.ts')).openDiscord(path),
  },
  zulip: {
    label: 'Zulip',
    help: `<file> is the .tar.gz that Zulip exports, or a folder with its content. --topics decides whether its
topics become threads of the channel of their stream, or channels.`,
    options: {
      topics: {
        value: 'threads|channels',
        choices: ['threads', 'channels'],
        help: 'what topics become (default: threads)',
      },
    },
    open: async (path, { topics }) =>
      (await import('./zulip/openZulip.ts')).openZulip(path, {
        topics: topics === 'channels' ? 'channels' : 'threads',
      }),
  },
}
