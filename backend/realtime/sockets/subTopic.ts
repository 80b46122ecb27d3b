const prefix = 'realtime:'

/** Longer names are refused: each is kept for as long as somebody listens. In UTF-16 units. */
export const maxTopicLength = 1_024

/** What policies and `realtime.send` call a topic: the wire's name without `realtime:`; null without it. */
export function subTopic(topic: string): string | null {
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : null
}

/** A public and a private topic of one name are two: whoever listens in public hears nothing private. */
export function topicKey(name: string, isPrivate: boolean): string {
  return (isPrivate ? 'private:' : 'public:') + name
}

/** The name on the wire. */
export function wireTopic(name: string): string {
  return prefix + name
}
