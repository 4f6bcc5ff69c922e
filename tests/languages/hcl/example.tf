# Pinned on purpose.
terraform {
  required_version = ">= 1.5"
  backend "s3" {
    bucket = "state"
  }
}

provider "aws" {
  region = var.region
}

// Where everything runs.
variable "region" {
  description = "AWS region"
  type        = string
  default     = "eu-central-1"
}

locals {
  name = "shop"
  # Put on every resource.
  tags = {
    team = "core"
  }
}

/* The web server. */
resource "aws_instance" "web" {
  ami           = data.aws_ami.ubuntu.id
  instance_type = "t3.micro"
  lifecycle {
    create_before_destroy = true
  }
  dynamic "ebs_block_device" {
    for_each = local.disks
    content {
      device_name = ebs_block_device.value
    }
  }
  user_data = <<-EOT
    #!/bin/sh
    echo "}" > /tmp/x
  EOT
}

data "aws_ami" "ubuntu" {
  most_recent = true
}

module "vpc" {
  source = "./vpc"
}

output "ip" {
  value = aws_instance.web.public_ip
}

moved {
  from = aws_instance.a
  to   = aws_instance.web
}

resource aws_s3_bucket logs {}

function "add" {
  params = [a, b]
  result = a + b
}

replicas = 3
