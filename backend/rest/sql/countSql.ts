import type { PlannedLogic, ReadNode } from '../plan/plan.ts'
import type { Binds } from './Binds.ts'
import { logicSql } from './logicSql.ts'
import { quote } from './quote.ts'
import { fromSql, parentConditions } from './readSql.ts'

/**
 * The rows of a node without limit and offset, for counting. Embeds are only tested for rows.
 */
export function countSql(node: ReadNode, binds: Binds, parent: ReadNode | null = null): string {
  const exists = (embed: ReadNode): string => `EXISTS (${countSql(embed, binds, node)})`
  const testCounts = countEmbedTests(node.where)
  const joined = new Set<ReadNode>()
  const where = node.where.map((logic) =>
    logicSql(quote(node.alias), logic, binds, ({ hasRows, embed }) => {
      // Rows that remain after an inner join have embedded rows.
      if (embed.attachment!.isInner) return hasRows ? 'TRUE' : 'FALSE'
      const not = hasRows ? '' : 'NOT '
      if (testCounts.get(embed) === 1) return `${not}${exists(embed)}`
      joined.add(embed)
      return `${not}${quote(embed.attachment!.rows)}.pgrst_any`
    }),
  )
  const joins = [...joined].map(
    (embed) =>
      ` CROSS JOIN LATERAL (SELECT ${exists(embed)} AS pgrst_any) AS ${quote(embed.attachment!.rows)}`,
  )
  const inner = node.embeds.filter((embed) => embed.attachment!.isInner).map(exists)
  const conditions = [...where, ...parentConditions(node, parent), ...inner]
  return `SELECT 1 FROM ${fromSql(node, parent)}${joins.join('')}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`
}

/**
 * How often filters test each embed for rows. A single test stays inline and becomes a join; repeated ones use a lateral
 * join, as the text would otherwise double with every level.
 */
function countEmbedTests(where: PlannedLogic[], counts = new Map<ReadNode, number>()): Map<ReadNode, number> {
  for (const logic of where) {
    if (logic.kind === 'embed') counts.set(logic.embed, (counts.get(logic.embed) ?? 0) + 1)
    else if (logic.kind !== 'filter') countEmbedTests(logic.items, counts)
  }
  return counts
}
