const prefix = 'realtime:'

/** Longer names are refused: each is stored while it has subscribers. In UTF-16 units. */
export const maxTopicLength = 1_024

/** The name of a topic in policies and `realtime.send`: without the prefix `realtime:`; null if the prefix is missing. */
export function subTopic(topic: string): string | null {
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : null
}

/** Public and private topics of one name are separate: public subscribers receive no private messages. */
export function topicKey(name: string, isPrivate: boolean): string {
  return (isPrivate ? 'private:' : 'public:') + name
}

/** The name on the wire. */
export function wireTopic(name: string): string {
  return prefix + name
}
