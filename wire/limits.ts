/** The bounds that the database enforces by named constraints. The app checks them before it sends. */
export const LIMITS = {
  /**
   * Three constraints and `app.accept_message_body` have the same number, as do `composeMessage.ts`, the sentence of
   * `messages_body_length` and the bounds of `body/parseBody.ts`, which are set for texts of this length.
   */
  messageCharacters: 20_000,
  savedMessages: 500,
  attachments: 10,
  /** Of a voice message that the app records. The database accepts an hour. */
  voiceMs: 5 * 60 * 1000,
  pollOptions: 20,
  pollOptionCharacters: 200,
  /** Bytes. */
  fileBytes: 500 * 1024 * 1024,
  channelNameCharacters: 80,
  topicCharacters: 250,
  descriptionCharacters: 1_000,
  botDescriptionCharacters: 250,
  sectionCharacters: 80,
  sections: 50,
  personNameCharacters: 80,
  personTitleCharacters: 80,
  personPronounsCharacters: 40,
  workspaceNameCharacters: 80,
  bookmarks: 20,
  bookmarkTitleCharacters: 80,
  customEmoji: 500,
  /** User groups of a workspace, and members of a group. */
  userGroups: 200,
  userGroupMembers: 1_000,
  emojiAliases: 10,
  emojiBytes: 256 * 1024,
  /** Of a conversation of the kind `group`. */
  groupConversationPeople: 12,
  /** Channels, and group conversations, that a member or guest of a workspace has created. */
  createdChannels: 500,
  keywords: 20,
  /** Bytes of all keywords together. */
  keywordBytes: 1_000,
  mayInterrupt: 20,
  invitationChannels: 100,
  /** Mail domains whose people may join a workspace, and channels that newcomers start in. */
  joiningDomains: 20,
  defaultChannels: 20,
  joinNoteCharacters: 500,
  /** Of a report, a removal or a silence. */
  reasonCharacters: 500,
  pageSize: 50,
} as const
