// The types the daemon describes, by short names.
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Imported = Schemas['Imported'];
export type Session = Schemas['Session'];
export type Usage = Schemas['Usage'];
export type Summary = Schemas['Summary'];
export type Approval = Schemas['ApprovalRow'];
export type Decision = Schemas['DecisionRow'];
export type Finding = Schemas['Finding'];
export type Health = Schemas['Health'];
export type Doctor = Schemas['Doctor'];
export type Quota = Schemas['Quota'];
export type Stats = Schemas['Stats'];
export type Tally = Schemas['KeyedTally'];
export type SearchHit = Schemas['SearchHit'];
export type SearchReply = Schemas['SearchReply'];
export type Explanation = Schemas['Explanation'];
export type HookList = Schemas['HookList'];
export type PushList = Schemas['PushList'];
export type HookReport = Schemas['HookReport'];
export type RuleList = Schemas['RuleList'];
export type RuleChange = Schemas['RuleChange'];
export type Receipt = Schemas['Receipt'];
export type Resume = Schemas['ResumeReply'];
export type Start = Schemas['StartReply'];
export type Stop = Schemas['StopReply'];
export type Binding = Schemas['Binding'];
export type Blame = Schemas['BlameReply'];
export type BlamedLine = Schemas['BlamedLine'];
export type NotedLine = Schemas['NotedLine'];
export type Activity = Schemas['Activity'];
export type Lane = Schemas['Lane'];
export type Turn = Schemas['Turn'];
export type SessionUsage = Schemas['SessionUsage'];
export type Event = Schemas['Event'];
/** An event, or that one is gone. */
export type EventLine = Schemas['EventLine'];
export type Group = Session['group'] | 'failed';
/** A session as lists of all of them show it. */
export type Row = Session & { starred?: boolean; failures?: number };
export type Count = { key: string | null; sessions: number };
export type Facets = Partial<Record<string, Count[]>>;
/** What a person wrote on a session. */
export type Marks = { tags: string[]; starred: boolean; title?: string | null; notes: { text: string; at?: string; id?: string }[] };
export type ProjectRow = { path: string; sessions: number; sub_agents: number; last_event_at?: string | null; prompts: number; failures: number; tokens: number; cost_microdollars?: number | null };
export type ProjectFile = { path: string; edits: number; sessions: number; cost_microdollars?: number | null; last_edit_at: string; last_session_id: string; last_session_title?: string | null; changes: FileChange[] };
export type FileChange = Schemas['FileChange'];
export type Denial = Schemas['DenialRow'];
export type ToolRow = { tool: string; calls: number; failed: number; denied?: number; p50_ms?: number | null; p95_ms?: number | null };
