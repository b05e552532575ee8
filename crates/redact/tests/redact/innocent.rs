//! Text that looks like secrets but contains none.

use crate::chance::{ALPHANUMERIC, Chance};

/// Line templates. Their words also occur before secrets.
const LINES: &[&str] = &[
    // Hashes, ids and checksums.
    "commit {{h40}}",
    "index {{h7}}..{{h7}} 100644",
    "{{h64}}  target/release/{{w}}",
    "sha256:{{h64}}",
    "{{x}}",
    "request_id={{x}} trace={{h32}} span={{h16}}",
    "\"sessionId\":\"{{x}}\",\"parentUuid\":\"{{x}}\"",
    "etag: \"{{h32}}\"",
    "Merge commit '{{h40}}' into {{w}}/{{w}}",
    "cache_key={{h40}}",
    "cache key: {{h64}}",
    "key: {{w}}-{{h32}}-{{h8}}",
    "docker pull r.example.net/{{w}}@sha256:{{h64}}",
    // Lock files.
    "checksum = \"{{h64}}\"",
    "      \"integrity\": \"sha512-{{b86}}==\",",
    "  integrity sha512-{{b86}}==",
    "  resolved \"https://registry.example.net/{{w}}/-/{{w}}-{{d1}}.{{d2}}.{{d1}}.tgz#{{h40}}\"",
    "    {file = \"{{w}}-{{d1}}.{{d1}}.whl\", hash = \"sha256:{{h64}}\"},",
    "github.com/{{w}}/{{w}} v0.{{d1}}.{{d1}} h1:{{b43}}=",
    // Binary, as text.
    "<img src=\"data:image/png;base64,{{b220}}=\">",
    "{{b76}}",
    "00000{{h3}}0  {{h2}} {{h2}} {{h2}} {{h2}} {{h2}} {{h2}} {{h2}} {{h2}}  |........|",
    "0x{{h16}} 0x{{h16}} 0x{{h16}}",
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz{{b160}}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{{b43}} {{w}}@{{w}}",
    "MII{{b61}}",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "the file begins with -----BEGIN RSA PRIVATE KEY----- and ends likewise",
    // Code about secrets.
    "    let {{w}} = {{w}}.{{w}}(\"{{w}}\");",
    "    pub fn {{w}}_token(&self) -> Option<&str> {",
    "const token = await getToken({ {{w}}: true });",
    "password = os.environ[\"DB_PASSWORD\"]",
    "password: process.env.DB_PASSWORD,",
    "  password: ${{ secrets.DEPLOY_PASSWORD }}",
    "API_KEY=$API_KEY_{{w}} make {{w}}",
    "api_key = settings.{{w}}_api_key",
    "if (user.password !== input.password) throw new Error('{{w}}')",
    "password: str = Field(min_length=8, max_length=128)",
    "token: string;",
    "  \"password\": { \"type\": \"string\", \"minLength\": 12 },",
    "secret_name = \"{{w}}-{{w}}-credentials\"",
    "secretKeyRef: { name: {{w}}-secret, key: password }",
    "export default function {{w}}Token({ token, secret }) {",
    "self.token = token or self.{{w}}_token",
    "max_tokens: {{d4}}, input_tokens: {{d6}}, output_tokens: {{d5}}",
    "\"usage\":{\"input_tokens\":{{d6}},\"cache_read_input_tokens\":{{d7}}}",
    "next_token = tokens[{{d2}}]",
    "tokenizer: {{w}}-{{w}}-v{{d1}}",
    "PublicKeyToken={{h16}}",
    "!function(e,t){var n={{d3}};e.exports={key:\"{{w}}\",token:t.{{w}}({{d2}})}}(this,{{d3}});",
    "a.b({{d2}},\"{{w}}\").c=function(t){return t&&t.__{{w}}?t:{default:t}},d.password=e,",
    ".{{w}}-{{h6}}{color:#{{h6}};background:url(/static/{{w}}.{{h8}}.png)}",
    // Addresses and paths.
    "https://example.net/{{w}}/{{w}}?page={{d2}}&sort={{w}}",
    "https://git.example.net/{{w}}/{{w}}/blob/{{h40}}/src/{{w}}.rs#L{{d3}}",
    "http://localhost:{{d4}}/{{w}}@{{d1}}.{{d1}}",
    "postgres://user:password@localhost:5432/{{w}}",
    "postgres://$USER:$PASSWORD@localhost/{{w}}",
    "git@github.com:{{w}}/{{w}}.git",
    "/home/{{w}}/.config/{{w}}/{{w}}-{{h12}}.json",
    "/nix/store/{{l32}}-{{w}}-{{d1}}.{{d2}}/bin/{{w}}",
    "node_modules/.pnpm/{{w}}@{{d1}}.{{d2}}.{{d1}}_{{h32}}/node_modules/{{w}}",
    "_app/immutable/chunks/{{w}}.{{u8}}.js",
    // Transcripts and logs.
    "I will now look at the {{w}} and the {{w}}, then change the password {{w}}.",
    "The token is checked by the {{w}}; the secret is kept in the {{w}}.",
    "Error: invalid password for user {{w}} ({{d3}})",
    "2026-0{{d1}}-1{{d1}}T0{{d1}}:00:00.{{d6}}Z INFO {{w}}::{{w}}: {{w}} took {{d3}}ms",
    "{\"type\":\"tool_use\",\"id\":\"toolu_01{{a22}}\",\"name\":\"Read\"}",
    "{\"id\":\"msg_01{{a22}}\",\"model\":\"{{w}}-{{d1}}\",\"requestId\":\"req_011C{{a20}}\"}",
    "{\"call_id\":\"call_{{a24}}\",\"output\":\"{{w}} {{w}}\"}",
    "Enter the password: ",
    "password: ********",
    "API_KEY=your-api-key-here",
    "export TOKEN=<your token>",
    "Authorization: Bearer $TOKEN",
    "-H \"Authorization: Bearer ${TOKEN}\"",
    "test {{w}}::{{w}}_{{w}} ... ok",
    "   Compiling {{w}}-{{w}} v{{d1}}.{{d1}}.{{d2}} (/src/{{w}})",
    "warning: unused variable: `{{w}}_token`",
    // Flags and names that also occur before passwords.
    "mkdir -p {{w}}/{{w}} && cp -p {{w}} {{w}}/",
    "docker run --name mysql -p{{d4}}:3306 -p 80:{{d4}} {{w}}:{{d1}}",
    "ssh -p {{d4}} {{w}}@{{w}} && scp -P {{d4}} {{w}} {{w}}:",
    "cargo test -p {{w}}-{{w}} {{w}}",
    "mysql -u {{w}} -p {{w}} < {{w}}.sql",
    "sshpass -p \"$PASSWORD\" ssh {{w}}",
    "echo \"${{w}}\" | sudo -S systemctl restart {{w}}",
    "echo {{w}} {{w}} | sudo tee /etc/{{w}}",
    "redis-cli -h {{w}} -p {{d4}} -n {{d1}} get {{w}}",
    "docker login -u {{w}} --password-stdin < {{w}}",
    "openssl enc -pass env:{{w}} -in {{w}}",
    "use the --password flag with the {{w}} or --token",
    "PASS: {{w}}_{{w}}",
    "pass: {{d2}} tests, fail: {{d1}}",
    "PASS={{d1}} FAIL={{d1}}",
    "first pass: {{w}}",
    "    password: String,",
    "  password: string",
    "password = get_{{w}}()",
    "password={{w}}_password,",
    "\"password\": \"string\", \"{{w}}\": \"string\"",
    "password: {{w}}.{{w}}",
    "GET /{{w}}?key={{w}}&sort={{w}}&code={{d3}} {{d3}}",
    "https://example.net/{{w}}?key={{w}}-{{w}}",
    "https://example.net:{{d4}}/{{w}}/@{{w}}/{{w}}@{{d1}}.{{d2}}.{{d1}}",
    "the recovery phrase is {{w}} the {{w}} and the {{w}} of the {{w}} for the {{w}} with a {{w}}",
    "SU{{B20}} SA{{B40}}",
    "größe der {{w}}: {{d3}} → {{d3}} ✓ 日本語 {{w}}",
];

/// One such line.
pub(crate) fn line(chance: &mut Chance) -> String {
    match chance.below(40) {
        0 => chance.run(&format!("{ALPHANUMERIC}+/"), 400),
        1 => (0..12).map(|_| chance.fill("{{w}} ")).collect(),
        2 => (0..6).map(|_| chance.fill("{{w}}({{w}},{{d2}});")).collect(),
        _ => {
            let template = chance.pick(LINES);
            // This only looks like a placeholder; it belongs to the line.
            chance.fill(&template.replace("${{ secrets.DEPLOY_PASSWORD }}", "${SECRETS}"))
        }
    }
}

/// Files of this workspace.
pub(crate) const FILES: &[&str] = &[
    include_str!("../../../../Cargo.lock"),
    include_str!("../../../../ARCHITECTURE.md"),
    include_str!("../../../../docs/privacy.md"),
    include_str!("../../../../docs/cli.md"),
    include_str!("../../src/scan.rs"),
    include_str!("../../../model/src/status.rs"),
];
