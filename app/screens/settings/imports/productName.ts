const names: Readonly<Record<string, string>> = {
  discord: 'Discord',
  mattermost: 'Mattermost',
  slack: 'Slack',
  zulip: 'Zulip',
}

/** The name of a product from which a workspace is imported. */
export const productName = (product: string): string => names[product] ?? product
